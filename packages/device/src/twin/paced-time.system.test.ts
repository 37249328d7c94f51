import { nextTurn, PacedClock, SystemClock, seededRandom, silentLog } from '@slotwire/core'
import { Rack } from '@slotwire/driver'
import * as firmwares from '@slotwire/modules/firmwares'
import { ioService } from '@slotwire/modules/io/service'
import { Chassis, VolatileMemory } from '@slotwire/twin'
import { afterEach, describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const IO_SLOT = 3
/** Twin time stands still during a turn and then catches up, so an hour may seem shorter by this. */
const TURN_MS = 2 * 5

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the module did not come up')
  return value
}

/** One io module with its driver, on the real event loop. */
async function drivenIo(pace: number) {
  const real = new SystemClock({ maxLatenessMs: 200 })
  const clock = new PacedClock(real)
  const random = seededRandom(1)
  const chassis = new Chassis({ clock, random, memory: () => new VolatileMemory() })
  chassis.plug(IO_SLOT, firmwares.io)
  const types = [ioService.vendorProductId]
  const rack = new Rack({ backplane: chassis, clock, random, log: silentLog, types })
  ends.push(async () => {
    clock.pace = 1
    await rack.stop()
    chassis.powerOff()
  })
  await chassis.powerOn()
  await rack.start()
  const slot = must(rack.find(IO_SLOT, ioService.vendorProductId))
  clock.pace = pace
  const statistics = () => must(rack.inventory()[0]).statistics
  return { real, clock, slot, rack, statistics }
}

describe('a driven module, in time that runs faster than the machine', { timeout: 60_000 }, () => {
  it('keeps its session for an hour at pace 1000', async () => {
    const { real, clock, slot, rack, statistics } = await drivenIo(1000)
    const { session } = slot
    const from = { real: real.now(), twin: clock.now() }
    await clock.sleep(HOUR_MS)
    expect(clock.now() - from.twin).toBeGreaterThanOrEqual(HOUR_MS)
    expect(real.now() - from.real).toBeGreaterThanOrEqual(HOUR_MS / 1000 - TURN_MS)
    expect(rack.find(IO_SLOT, ioService.vendorProductId)?.session).toBe(session)
    const { heartbeats, failedHeartbeats, sessions } = statistics()
    expect([failedHeartbeats, sessions]).toEqual([0, 1])
    expect(heartbeats).toBeGreaterThan(HOUR_MS / 111)
  })

  it('keeps its session at pace 10,000, as fast as the machine can, and answers requests', async () => {
    const { clock, slot, statistics } = await drivenIo(10_000)
    const { session } = slot
    const until = clock.now() + HOUR_MS / 4
    const descriptors: string[] = []
    while (clock.now() < until) {
      descriptors.push((await slot.descriptor()).productName)
      await nextTurn()
    }
    expect(new Set(descriptors).size).toBe(1)
    expect([slot.session, statistics().failedHeartbeats, statistics().sessions]).toEqual([session, 0, 1])
  })
})
