import { describe, expect, it } from 'vitest'
import { barePowerModule } from './bare-power-module.testkit.ts'
import { FAN_APPLY_MS } from './firmware-fan.ts'
import { automaticMode, PMC_MAX_CELSIUS } from './firmware-thermal.ts'
import * as wire from './wire.ts'

const SETTLED_MS = 3_600_000
const HEAVY = { '3v3': 3000, '5v0': 3000 }

/** The wire document's formula, from 3.0 V. */
function celsiusOf(millivolt: number): number {
  const ohm = (3000 - millivolt) / (millivolt / 10_000)
  return 1 / (1 / 298.15 + Math.log(ohm / 10_000) / 3380) - 273.15
}

describe('TEMPERATURE_SENSOR', () => {
  it('returns both temperatures, as an NTC voltage and as a raw figure', async () => {
    const { sensors, firmware, load, clock } = barePowerModule()
    load({ '5v0': 1000 })
    await clock.advance(50_000)
    const { onBoardMillivolt, pmcRaw } = sensors()
    expect(celsiusOf(onBoardMillivolt)).toBeCloseTo(firmware.thermal.onBoardCelsius, 0)
    expect(pmcRaw / 9.5).toBeCloseTo(firmware.thermal.pmcCelsius, 0)
  })

  it('rises with load and falls without', async () => {
    const { firmware, load, clock } = barePowerModule()
    await clock.advance(SETTLED_MS)
    const idle = [firmware.thermal.pmcCelsius, firmware.thermal.onBoardCelsius] as const
    load({ '5v0': 1000 })
    await clock.advance(SETTLED_MS)
    expect(firmware.thermal.pmcCelsius).toBeGreaterThan(idle[0] + 5)
    expect(firmware.thermal.onBoardCelsius).toBeGreaterThan(idle[1] + 5)
    load({})
    await clock.advance(SETTLED_MS)
    expect(firmware.thermal.pmcCelsius).toBeCloseTo(idle[0], 3)
  })

  it('falls with the fan', async () => {
    const { firmware, load, clock, ask } = barePowerModule()
    load({ '5v0': 1000 })
    await clock.advance(SETTLED_MS)
    const before = firmware.thermal.pmcCelsius
    ask(wire.setFan, { forced: true, mode: 100 })
    await clock.advance(SETTLED_MS)
    expect(firmware.thermal.pmcCelsius).toBeLessThan(before - 5)
  })
})

describe('the automatic fan', () => {
  it('is off in a device without load', async () => {
    const { fan, clock } = barePowerModule()
    await clock.advance(SETTLED_MS)
    expect(fan().currentMode).toBe(0)
  })

  it.each([
    [49.9, 0, 0],
    [50, 0, 20],
    [90, 0, 100],
    [59.9, 20, 20],
    [45.1, 20, 20],
    [45, 20, 0],
    [84.9, 100, 80],
    [20, 100, 0],
  ] as const)('switches at %d °C from %d to %d %%: 5 °C of hysteresis', (celsius, from, to) =>
    expect(automaticMode(celsius, from)).toBe(to),
  )

  it('steps up as the controller heats up, until it is stable or alternates by one step', async () => {
    const { fan, load, clock, firmware } = barePowerModule()
    load(HEAVY)
    await clock.advance(SETTLED_MS)
    expect(fan()).toMatchObject({ forced: false, settingMode: 0 })
    expect(fan().currentMode).toBeGreaterThan(0)
    expect(firmware.thermal.pmcCelsius).toBeLessThan(80)
    load({})
    await clock.advance(SETTLED_MS)
    expect(fan().currentMode).toBe(0)
  })

  it('does not change a forced fan, and takes over when it is released', async () => {
    const { fan, load, clock, ask } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 0 })
    load(HEAVY)
    await clock.advance(SETTLED_MS)
    expect(fan().currentMode).toBe(0)
    ask(wire.setFan, { forced: false, mode: 0 })
    await clock.advance(FAN_APPLY_MS.max)
    expect(fan().currentMode).toBeGreaterThan(0)
  })

  it('keeps no timer while nothing will change', async () => {
    const { clock, load } = barePowerModule()
    load({ '5v0': 100 })
    await clock.advance(SETTLED_MS)
    expect(clock.pending).toBe(0)
  })
})

describe('a controller above 125 °C', () => {
  it('switches the 12 V rail off until it is below 120 °C, also across a loss of supply', async () => {
    const { board, clock, ask, firmware } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 0 })
    board.computer.ambientCelsius = 130
    await clock.advance(SETTLED_MS)
    expect(board.rails.isOn('12v')).toBe(false)
    await clock.advance(SETTLED_MS)
    expect(board.rails.isOn('12v')).toBe(false)
    firmware.powerDown()
    // Without its module the rail would stay off forever.
    expect(board.rails.isOn('12v')).toBe(true)
    firmware.reset()
    expect(board.rails.isOn('12v')).toBe(false)
    board.computer.ambientCelsius = 25
    while (firmware.thermal.pmcCelsius > PMC_MAX_CELSIUS - 4) await clock.advance(50)
    expect(board.rails.isOn('12v')).toBe(false)
    while (firmware.thermal.pmcCelsius > PMC_MAX_CELSIUS - 6) await clock.advance(50)
    expect(board.rails.isOn('12v')).toBe(true)
  })

  it('counts at the moment when it reaches the limit', async () => {
    const { counters, board, clock, ask, firmware } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 0 })
    board.computer.ambientCelsius = 200
    while (firmware.thermal.pmcCelsius < PMC_MAX_CELSIUS - 1) await clock.advance(50)
    expect(counters().pmcTemperature).toBe(0)
    while (firmware.thermal.pmcCelsius < PMC_MAX_CELSIUS) await clock.advance(50)
    expect(counters().pmcTemperature).toBe(1)
  })
})
