import { describe, expect, it } from 'vitest'
import { barePowerModule, SEEDS } from './bare-power-module.testkit.ts'
import { FAN_APPLY_MS, FAN_SPEED_MS } from './firmware-fan.ts'
import { FAN_MODES } from './limits.ts'
import * as wire from './wire.ts'

function fanBench(seed = 1) {
  const bench = barePowerModule({ seed })
  const { ask } = bench
  return {
    ...bench,
    set: (forced: boolean, mode: (typeof FAN_MODES)[number]) => ask(wire.setFan, { forced, mode }).result,
    measure: (enabled: boolean) => ask(wire.setFanRpm, { enabled }).ok,
  }
}

const APPLIED = FAN_APPLY_MS.max
const MEASURED = FAN_APPLY_MS.max + FAN_SPEED_MS.max

describe('FAN_CONTROL', () => {
  it('is automatic with setting 0 at first and after a reset', async () => {
    const { fan, set, firmware, clock } = fanBench()
    expect(fan()).toEqual({ forced: false, currentMode: 0, settingMode: 0 })
    set(true, 100)
    await clock.advance(APPLIED)
    firmware.reset()
    expect(fan()).toEqual({ forced: false, currentMode: 100, settingMode: 0 })
    await clock.advance(APPLIED)
    expect(fan().currentMode).toBe(0)
  })

  it.each(FAN_MODES)('applies the forced mode %d within ten seconds', async (mode) => {
    const { fan, set, clock } = fanBench()
    expect(set(true, mode)).toBe(wire.FanControlResult.ok)
    expect(fan()).toEqual({ forced: true, currentMode: 0, settingMode: mode })
    await clock.advance(APPLIED)
    expect(fan()).toEqual({ forced: true, currentMode: mode, settingMode: mode })
  })

  it('applies only the last of several modes', async () => {
    const { fan, set, clock } = fanBench()
    set(true, 100)
    await clock.advance(FAN_APPLY_MS.min - 1)
    set(true, 20)
    await clock.advance(FAN_APPLY_MS.min - 1)
    expect(fan().currentMode).toBe(0)
    await clock.advance(APPLIED)
    expect(fan().currentMode).toBe(20)
    set(true, 80)
    set(true, 20)
    await clock.advance(APPLIED)
    expect(fan().currentMode).toBe(20)
  })

  it('shows the mode last set even while it is not active', async () => {
    const { fan, set, clock } = fanBench()
    set(false, 80)
    await clock.advance(APPLIED)
    expect(fan()).toEqual({ forced: false, currentMode: 0, settingMode: 80 })
  })

  it('refuses an invalid mode, and a value of forced other than 0 and 1', () => {
    const { raw, fan } = fanBench()
    for (const code of [2, 7, 20, 255]) expect([...raw(3, 2, 4, 1, code)]).toEqual([3, 2, 4, wire.FanControlResult.invalidMode])
    for (const code of [0, 3]) expect([...raw(3, 2, 4, code, 1)]).toEqual([3, 2, 4, wire.FanControlResult.forceFailed])
    expect(fan()).toEqual({ forced: false, currentMode: 0, settingMode: 0 })
  })
})

describe('FAN_RPM', () => {
  it('reads 0 while the measurement is off, also after a reset', async () => {
    const { rpm, set, measure, firmware, clock } = fanBench()
    set(true, 100)
    await clock.advance(MEASURED)
    expect(rpm()).toEqual({ enabled: false, rpm: 0 })
    expect(measure(true)).toBe(true)
    expect(rpm().rpm).toBeGreaterThan(0)
    firmware.reset()
    expect(rpm()).toEqual({ enabled: false, rpm: 0 })
  })

  it.each(SEEDS)('is 5000 ± 15 % at full speed, and proportional below (seed %d)', async (seed) => {
    const { rpm, set, measure, clock } = fanBench(seed)
    measure(true)
    set(true, 100)
    await clock.advance(MEASURED)
    const full = rpm().rpm
    expect(full).toBeGreaterThanOrEqual(4250)
    expect(full).toBeLessThanOrEqual(5750)
    set(true, 20)
    await clock.advance(MEASURED)
    expect(Math.abs(rpm().rpm - full / 5)).toBeLessThanOrEqual(1)
  })

  it('differs from fan to fan', async () => {
    const speeds = await Promise.all(
      SEEDS.map(async (seed) => {
        const { rpm, set, measure, clock } = fanBench(seed)
        measure(true)
        set(true, 100)
        await clock.advance(MEASURED)
        return rpm().rpm
      }),
    )
    expect(new Set(speeds).size).toBeGreaterThan(SEEDS.length / 2)
  })

  it('answers error for a control byte that is neither on nor off', () =>
    expect([...fanBench().raw(3, 2, 6, 3)]).toEqual([3, 2, 6, 2]))
})

it('a blocked fan does not turn or cool in any mode, until it is released', async () => {
  const { fan, set, measure, rpm, clock, load, firmware } = fanBench()
  measure(true)
  set(true, 100)
  load({ '5v0': 3000 })
  await clock.advance(600_000)
  const cool = firmware.thermal.pmcCelsius
  const release = firmware.defects?.['fan_blocked']?.()
  await clock.advance(600_000)
  expect(fan()).toEqual({ forced: true, currentMode: 100, settingMode: 100 })
  expect(rpm()).toEqual({ enabled: true, rpm: 0 })
  expect(firmware.thermal.pmcCelsius).toBeGreaterThan(cool + 20)
  release?.()
  await clock.advance(600_000)
  expect(firmware.thermal.pmcCelsius).toBeCloseTo(cool, 3)
  expect(rpm().rpm).toBeGreaterThan(4000)
})
