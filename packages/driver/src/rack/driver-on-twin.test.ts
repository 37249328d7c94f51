import { seededRandom, silentLog } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { getLamp, setLamp, toyChassis, toyDefinition, toyDescriptor } from '../../../twin/src/module/toy-firmware.testkit.ts'
import { outcomeOf } from '../slot/slot.testkit.ts'
import type { SlotApi } from '../slot/slot.ts'
import { Rack } from './rack.ts'

const LAMP = toyDescriptor.vendorProductId

function device(options: Parameters<typeof toyChassis>[0] = {}, sclkCapKhz?: number) {
  const twin = toyChassis(options)
  const rack = new Rack({
    backplane: twin.chassis,
    clock: twin.clock,
    random: seededRandom(1),
    log: silentLog,
    types: [LAMP],
    sclkCapKhz,
  })
  return { ...twin, rack }
}

async function running(options: Parameters<typeof toyChassis>[0] = {}, sclkCapKhz?: number) {
  const made = device(options, sclkCapKhz)
  const start = made.chassis.powerOn().then(() => made.rack.start())
  await made.clock.advance(1000)
  await start
  const slot = made.rack.find(2, LAMP)
  if (slot === undefined) throw new Error('the toy is not usable')
  return { ...made, slot }
}

/** Closing a link suspends the module; on a timed bus that takes a moment. */
async function stopped({ clock, rack }: Pick<ReturnType<typeof device>, 'clock' | 'rack'>): Promise<void> {
  const stop = rack.stop()
  await clock.advance(2000)
  await stop
}

const read = (slot: SlotApi) => slot.read('lamp', { fresh: true }, async (exchange) => (await exchange(getLamp, {})).level)
const write = (slot: SlotApi, level: number) => slot.write((exchange) => exchange(setLamp, { level }))

describe('the driver on a virtual device', () => {
  it('keeps a module in its state for ten minutes without requests', async () => {
    const { clock, rack, slot } = await running()
    const { session } = slot
    await write(slot, 40)
    await clock.advance(600_000)
    expect(await read(slot)).toBe(40)
    expect(slot.session).toBe(session)
    await stopped({ clock, rack })
  })

  it('resets a module to its initial state and keeps the session', async () => {
    const { clock, rack, slot } = await running()
    const { session } = slot
    await write(slot, 40)
    await slot.write(slot.reset)
    expect(await read(slot)).toBe(0)
    expect(slot.session).toBe(session)
    await stopped({ clock, rack })
  })

  it('notices that a module leaves and returns, with a new session', async () => {
    const { clock, chassis, rack, slot } = await running()
    chassis.unplug(2)
    await clock.advance(10)
    expect(rack.usable(LAMP)).toEqual([])
    await expect(read(slot)).rejects.toMatchObject({ code: 'module-lost' })
    chassis.plug(2, toyDefinition())
    await clock.advance(2000)
    expect(rack.find(2, LAMP)?.session).not.toBe(slot.session)
    await stopped({ clock, rack })
  })

  it('answers 502 to pending requests when the whole device restarts, then has new sessions', async () => {
    const { clock, chassis, rack, slot } = await running({ bus: 'timed' }, 100)
    const { driverSession } = rack
    chassis.restartDevice('a test')
    await clock.advance(5)
    const outcomes = [read(slot), write(slot, 1)].map(outcomeOf)
    await clock.advance(100)
    expect(outcomes.map((outcome) => outcome.code)).toEqual(['device-restarting', 'device-restarting'])
    expect(rack.state).toBe('restarting')
    await clock.advance(5000)
    expect(rack.state).toBe('up')
    expect(rack.driverSession).not.toBe(driverSession)
    expect(rack.find(2, LAMP)?.session).not.toBe(slot.session)
    await stopped({ clock, rack })
  })

  it('writes on an idle slot in at most 1.2 exchanges, and keeps a timed bus busy with 64 readers', async () => {
    const { clock, rack, slot } = await running({ bus: 'timed' }, 100)
    const exchangeMs = (2 * 64 * 8) / 100 + 0.3
    let answered = 0
    let enough = false
    const reader = async (): Promise<void> => {
      while (!enough) {
        await slot.read(`lamp ${answered}`, { fresh: true }, (exchange) => exchange(getLamp, {}))
        answered++
      }
    }
    const readers = Array.from({ length: 64 }, reader)
    const sinceMs = clock.now()
    await clock.advance(10_000)
    const exchanges = answered + 10_000 / 100
    expect((exchanges * exchangeMs) / (clock.now() - sinceMs)).toBeGreaterThanOrEqual(0.95)
    enough = true
    await clock.advance(2000)
    await Promise.all(readers)
    const times: number[] = []
    for (let turn = 0; turn < 20; turn++) {
      const beganMs = clock.now()
      const done = write(slot, turn).then(() => times.push(clock.now() - beganMs))
      await clock.advance(137)
      await done
    }
    expect(times.sort((one, other) => one - other)[10]).toBeLessThanOrEqual(1.2 * exchangeMs)
    await stopped({ clock, rack })
  })

  it('leaves no timer behind', async () => {
    const { clock, chassis, rack } = await running()
    await stopped({ clock, rack })
    chassis.powerOff()
    await clock.advance(1000)
    expect(clock.pending).toBe(0)
  })
})
