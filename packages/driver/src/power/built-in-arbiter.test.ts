import { LinkError, ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeBackplane } from '../rack/fake-backplane.testkit.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { BuiltInArbiter, type PowerMode, type PresentModules } from './built-in-arbiter.ts'
import { type PowerManager, type PowerSupply, type RailPower, shortageOf } from './power-budget.ts'
import { TYPICAL_SUPPLY as typical } from './typical-supply.testkit.ts'

const nothing: RailPower = { power3v3: 0, power5v0: 0, power12v: 0 }

function need(power3v3: number, power5v0: number, power12v: number): RailPower {
  return { power3v3, power5v0, power12v }
}

function arbiter(options: { supply?: PowerSupply | undefined; mode?: PowerMode } = { supply: typical }) {
  const backplane = new FakeBackplane(new ManualClock())
  const log = new RecordingLog()
  const readSupply = () => Promise.resolve(options.supply)
  const manager: PowerManager = new BuiltInArbiter({ backplane, readSupply, mode: options.mode ?? 'strict', log })
  return { backplane, log, manager }
}

describe('the built-in arbiter', () => {
  it('grants what fits', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(3)
    expect(await manager.request(3, need(300, 1200, 6000))).toEqual({ granted: true, missing: nothing })
  })

  it('counts the last known needs of a module whose own cannot be read, as read or applied last, until it is unplugged', async () => {
    const { backplane, manager, log } = arbiter()
    for (const slot of [3, 5]) backplane.plug(slot, { maxPower3v3: 0, maxPower12v: 0 })
    await manager.request(5, need(0, 0, 20_000))
    await manager.done(5, true)
    backplane.unreadable.add(5)
    expect(await manager.request(3, need(0, 0, 8751))).toEqual({ granted: false, missing: need(0, 0, 1) })
    expect(await manager.request(3, need(0, 0, 8750))).toEqual({ granted: true, missing: nothing })
    expect(log.linesOf('warn')[0]?.fields).toEqual({ slot: 5 })
    backplane.unplug(5)
    expect(await manager.request(3, need(0, 0, 28_750))).toEqual({ granted: true, missing: nothing })
  })

  it('denies what exceeds a rail, with the milliwatt missing there', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(0, { maxPower3v3: 500, maxPower5v0: 1000, maxPower12v: 0 })
    backplane.plug(3)
    expect(await manager.request(3, need(17_172, 0, 28_751))).toEqual({ granted: false, missing: need(1, 0, 1) })
  })

  it('counts every module that is present, of whatever type', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(0, { maxPower3v3: 0, maxPower12v: 10_000 })
    backplane.plug(4, {
      maxPower3v3: 0,
      maxPower12v: 10_000,
      vendorProductId: 'example.org/other',
      bootloaderState: 'in bootloader mode',
    })
    backplane.plug(3, { maxPower3v3: 0 })
    expect(await manager.request(3, need(0, 0, 8750))).toEqual({ granted: true, missing: nothing })
    expect(await manager.request(3, need(0, 0, 8751))).toEqual({ granted: false, missing: need(0, 0, 1) })
  })

  it('replaces the old figures of the slot that asks', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(3, { maxPower3v3: 100, maxPower12v: 28_000 })
    expect(await manager.request(3, need(100, 0, 28_500))).toMatchObject({ granted: true })
  })

  it('reports a shortage of the total on the rail that the request adds most to, with dissipation, rounded up', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(3, { maxPower3v3: 100, maxPower5v0: 9000 })
    // 100 × 1.1 + 10001 × 1.1 + 20000 × 1 = 31111.1; 5 V grows by 1001, 12 V by 20000.
    expect(await manager.request(3, need(100, 10_001, 20_000))).toEqual({ granted: false, missing: need(0, 0, 2362) })
    // With 3.3 V and 5 V exchanged: 20001 × 1.1 + 110 + 9000 = 31111.1.
    expect(await manager.request(3, need(100, 20_001, 9000))).toEqual({ granted: false, missing: need(0, 2362, 0) })
  })

  it('names the rail with the largest increase, not the one with the largest need, in a shortage of the total', async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(3, { maxPower3v3: 15_000 })
    // 15000 × 1.1 + 13000 × 1 = 29500; 3.3 V does not grow.
    expect(await manager.request(3, need(15_000, 0, 13_000))).toEqual({ granted: false, missing: need(0, 0, 750) })
  })

  it('grants in weak mode what does not fit, with the same figures and a warning', async () => {
    const { backplane, manager, log } = arbiter({ supply: typical, mode: 'weak' })
    backplane.plug(3)
    expect(await manager.request(3, need(100, 0, 30_000))).toEqual({ granted: true, missing: need(0, 0, 1250) })
    expect(log.linesOf('warn')).toEqual([
      { level: 'warn', fields: { slot: 3, missing: need(0, 0, 1250) }, message: 'more power is granted than is available' },
    ])
  })

  it('has no limit without a power module, and logs that', async () => {
    const { backplane, manager, log } = arbiter({ supply: undefined })
    backplane.plug(3)
    expect(await manager.request(3, need(60_000, 60_000, 60_000))).toEqual({ granted: true, missing: nothing })
    expect(log.linesOf('warn')).toHaveLength(1)
  })

  it("counts a grant while the module's descriptor shows it, so that two modules share one budget", async () => {
    const { backplane, manager } = arbiter()
    backplane.plug(3, { maxPower3v3: 0 })
    backplane.plug(5, { maxPower3v3: 0 })
    expect(await manager.request(3, need(0, 0, 20_000))).toMatchObject({ granted: true })
    const idle = backplane.at(3).descriptor
    backplane.at(3).descriptor = { ...idle, maxPower12v: 20_000 }
    await manager.done(3, true)
    expect(await manager.request(5, need(0, 0, 10_000))).toEqual({ granted: false, missing: need(0, 0, 1250) })
    expect(await manager.request(5, need(0, 0, 8750))).toMatchObject({ granted: true })
    backplane.at(3).descriptor = idle
    expect(await manager.request(5, need(0, 0, 10_000))).toMatchObject({ granted: true })
  })

  it.each(['strict', 'weak'] as const)('decides nothing (%s) while the needs of the modules cannot be read', async (mode) => {
    const { backplane, manager, log } = arbiter({ supply: undefined, mode })
    backplane.plug(3)
    backplane.beforePowerDescriptors = () =>
      Promise.reject(new LinkError('gone', 'slot 5: max_power_12v reads "", which is invalid'))
    await expect(manager.request(3, nothing)).rejects.toMatchObject({
      status: 500,
      code: 'power-figures-not-read',
      message: expect.stringMatching(
        /^the power needs of the modules cannot be read \(slot 5: max_power_12v reads "", which is invalid\), so the power budget is unknown: try again; if/,
      ) as string,
    })
    expect(log.linesOf('warn')).toEqual([])
  })

  it('passes the counted modules to the source, and does not count a module that has left', async () => {
    const backplane = new FakeBackplane(new ManualClock())
    const seen: number[] = []
    const readSupply = async (modules: PresentModules) => {
      seen.push(...modules.keys())
      return typical
    }
    const manager = new BuiltInArbiter({ backplane, readSupply, mode: 'strict', log: new RecordingLog() })
    backplane.plug(3, { maxPower12v: 20_000 })
    backplane.plug(5)
    backplane.unplug(3)
    expect(await manager.request(3, need(0, 0, 28_640))).toMatchObject({ granted: true })
    expect(seen).toEqual([5])
  })
})

describe('shortageOf', () => {
  const power = fc.record({
    power3v3: fc.integer({ min: 0, max: 65_535 }),
    power5v0: fc.integer({ min: 0, max: 65_535 }),
    power12v: fc.integer({ min: 0, max: 65_535 }),
  })

  it('is in whole milliwatt, and 0 exactly when every rail and the total fit', () =>
    fc.assert(
      fc.property(power, power, (sum, adds) => {
        const missing = shortageOf(sum, typical, adds)
        // P × (2 − efficiency) with 90, 90 and 100 %, in hundredths of a milliwatt.
        const consumption = sum.power3v3 * 110 + sum.power5v0 * 110 + sum.power12v * 100
        const fits =
          sum.power3v3 <= typical.source_3v3 &&
          sum.power5v0 <= typical.source_5v0 &&
          sum.power12v <= typical.source_12v &&
          consumption <= 2_875_000
        expect(Object.values(missing).every((value: number) => Number.isInteger(value) && value >= 0)).toBe(true)
        expect(Object.values(missing).every((value: number) => value === 0)).toBe(fits)
      }),
    ))

  it('does not round within the total: exactly the total fits, a hundredth of a milliwatt more is one milliwatt', () => {
    const supply = { ...typical, source_total: 1101, efficiency_factor_3v3: 90 }
    expect(shortageOf(need(1000, 0, 1), supply, nothing)).toEqual(nothing)
    expect(shortageOf(need(1001, 0, 0), supply, need(1, 0, 0))).toEqual(need(1, 0, 0))
  })
})
