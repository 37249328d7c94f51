import { VolatileMemory } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { FullMemory, UnreadableMemory } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { barePowerModule } from './bare-power-module.testkit.ts'
import { COUNTER_SAVE_INTERVAL_MS, COUNTERS, MAX_COUNT } from './firmware-counters.ts'
import { PROTECTION_DELAY_MS, RAIL_OFF_MS } from './firmware-protection.ts'

/** Counts its writes. */
class CountingMemory extends VolatileMemory {
  saves = 0

  override save(document: Readonly<Record<string, unknown>>): void {
    this.saves++
    super.save(document)
  }
}

describe('over current protection', () => {
  it.each([
    ['3v3', 'ocp3v3'],
    ['5v0', 'ocp5v0'],
  ] as const)('counts and restarts the device on %s', async (rail, counter) => {
    const { load, counters, restarts, clock } = barePowerModule()
    load({ [rail]: 6000 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters()).toMatchObject({ [counter]: 1 })
    expect(restarts).toHaveLength(1)
    await clock.advance(60_000)
    expect(counters()).toMatchObject({ [counter]: 1 })
  })

  it('counts and switches the rail off for a second on 12v', async () => {
    const { load, counters, restarts, clock, board } = barePowerModule()
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(board.rails.isOn('12v')).toBe(false)
    load({ '12v': 0 })
    await clock.advance(RAIL_OFF_MS - 1)
    expect(board.rails.isOn('12v')).toBe(false)
    await clock.advance(1)
    expect(board.rails.isOn('12v')).toBe(true)
    expect(counters()).toMatchObject({ ocp12v: 1, uvp12v: 0 })
    expect(restarts).toEqual([])
  })

  it('tries again each second on 12v while the overload lasts', async () => {
    const { load, counters, clock } = barePowerModule()
    load({ '12v': 2400 })
    await clock.advance(3 * (RAIL_OFF_MS + PROTECTION_DELAY_MS) + PROTECTION_DELAY_MS)
    expect(counters().ocp12v).toBe(4)
  })

  it('acts above the current limit that is set, not at it', async () => {
    const { load, counters, clock, setLimits, board } = barePowerModule()
    setLimits(5949, 4949, 200)
    load({ '12v': 200 - board.rails.current('12v') })
    await clock.advance(100)
    expect(counters().ocp12v).toBe(0)
    setLimits(5949, 4949, 199)
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters().ocp12v).toBe(1)
  })

  it('ignores a peak that is shorter than an io module needs to switch off its pin', async () => {
    const { load, counters, clock } = barePowerModule()
    load({ '5v0': 6000 })
    await clock.advance(PROTECTION_DELAY_MS - 1)
    load({ '5v0': 0 })
    await clock.advance(100)
    expect(counters().sum).toBe(0)
  })
})

describe('total overload', () => {
  it('counts each time that the total power exceeds the source, and switches the 12 V rail off for 1 s', async () => {
    const { load, counters, restarts, clock, board } = barePowerModule()
    load({ '12v': 1200, '5v0': 3000 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect([counters(), board.rails.isOn('12v')]).toMatchObject([{ totalOverload: 1, sum: 1 }, false])
    await clock.advance(999)
    expect(board.rails.isOn('12v')).toBe(false)
    load({})
    await clock.advance(1)
    expect(board.rails.isOn('12v')).toBe(true)
    load({ '12v': 1200, '5v0': 3000 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters()).toMatchObject({ totalOverload: 2, sum: 2 })
    expect(restarts).toEqual([])
  })

  it('acts again after each second while it lasts', async () => {
    const { load, counters, clock } = barePowerModule()
    load({ '12v': 1200, '5v0': 3000 })
    await clock.advance(10 * (1000 + PROTECTION_DELAY_MS) - 1)
    expect(counters()).toMatchObject({ totalOverload: 10, sum: 10 })
  })
})

describe('OPP_CNT_STATUS', () => {
  it('survives resets and the loss of supply; a factory reset clears it', async () => {
    const { load, counters, clock, firmware, memory } = barePowerModule()
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    firmware.reset()
    expect(counters().ocp12v).toBe(1)
    firmware.powerDown()
    expect(clock.pending).toBe(0)
    const next = barePowerModule({ memory })
    expect(next.counters()).toMatchObject({ ocp12v: 1, sum: 1 })
    next.firmware.factoryReset?.()
    expect(next.counters().sum).toBe(0)
    expect(barePowerModule({ memory }).counters().sum).toBe(0)
  })

  it('stops each counter, and the sum, at 65535', async () => {
    const memory = new VolatileMemory()
    memory.save({ ocp12v: MAX_COUNT, uvp3v3: MAX_COUNT })
    const { load, counters, clock } = barePowerModule({ memory })
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters()).toMatchObject({ ocp12v: MAX_COUNT, uvp3v3: MAX_COUNT, sum: MAX_COUNT })
  })

  it('is written once per interval for any number of events, and saved before it is returned', async () => {
    const memory = new CountingMemory()
    const { load, counters, clock } = barePowerModule({ memory })
    const events = 100
    for (let event = 0; event < events; event++) {
      load({ '3v3': 3000, '5v0': 4500 })
      await clock.advance(PROTECTION_DELAY_MS)
      load({})
      await clock.advance(PROTECTION_DELAY_MS)
    }
    await clock.advance(COUNTER_SAVE_INTERVAL_MS)
    const seconds = (2 * events * PROTECTION_DELAY_MS) / COUNTER_SAVE_INTERVAL_MS
    expect(memory.saves).toBeLessThanOrEqual(2 + seconds)
    expect(memory.load()).toMatchObject({ document: { totalOverload: events } })
    load({ '12v': 1200, '5v0': 3000 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters().totalOverload).toBe(events + 1)
    expect(memory.load()).toMatchObject({ document: { totalOverload: events + 1 } })
  })

  it('continues counting while the memory is full, and saves when there is room again', async () => {
    const memory = new FullMemory()
    const { load, counters, clock, firmware } = barePowerModule({ memory })
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters().ocp12v).toBe(1)
    expect(() => firmware.factoryReset?.()).toThrow('status 1')
    expect(counters().ocp12v).toBe(1)
    memory.full = false
    counters()
    expect(memory.load()).toMatchObject({ document: { ocp12v: 1 } })
  })

  it('is read again at each start: lost events stay lost', async () => {
    const { load, counters, clock, firmware, memory } = barePowerModule()
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    load({})
    firmware.powerDown()
    firmware.reset()
    expect(counters().ocp12v).toBe(1)
    memory.clear()
    expect(counters().ocp12v).toBe(1)
    firmware.powerDown()
    firmware.reset()
    expect(counters().sum).toBe(0)
  })

  it('loses only the events that could not be saved before the supply was lost', async () => {
    const memory = new FullMemory()
    memory.full = false
    const { load, counters, clock, firmware } = barePowerModule({ memory })
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    memory.full = true
    await clock.advance(3 * RAIL_OFF_MS)
    expect(counters().ocp12v).toBeGreaterThan(1)
    load({})
    firmware.powerDown()
    memory.full = false
    firmware.reset()
    expect(counters().ocp12v).toBe(1)
  })

  it('adds what it counted while the memory could not be read, and overwrites nothing', async () => {
    const memory = new UnreadableMemory()
    memory.save({ ocp12v: 7, uvp12v: 2 })
    const { load, counters, clock } = barePowerModule({ memory })
    load({ '12v': 2400 })
    await clock.advance(PROTECTION_DELAY_MS)
    expect(counters()).toMatchObject({ ocp12v: 1 })
    memory.isUnreadable = false
    expect(counters()).toMatchObject({ ocp12v: 8, uvp12v: 2 })
    expect(counters()).toMatchObject({ ocp12v: 8 })
    expect(memory.load()).toMatchObject({ document: { ocp12v: 8, uvp12v: 2 } })
  })

  it('starts at 0 from a corrupt memory', async () => {
    const memory = new VolatileMemory()
    memory.corrupt('flipped bits')
    const { counters } = barePowerModule({ memory })
    expect(counters()).toEqual(Object.fromEntries(['sum', ...COUNTERS].map((name) => [name, 0])))
  })
})
