import type { Clock } from '@slotwire/core'
import { ManualClock, seededRandom } from '@slotwire/core'
import { encodeRequest, modeRun } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { Chassis } from '../board/chassis.ts'
import { VolatileMemory } from '../module/memory.ts'
import { openOnTimedBus, toyChassis, toyDefinition } from '../module/toy-firmware.testkit.ts'

const EXCHANGE_MS = 2 * 5.12 + 0.3
const GRAIN_MS = 1

/** Behaves like system timers: whole milliseconds, and slightly late. */
function coarse(clock: ManualClock): Clock {
  return {
    now: () => clock.now(),
    after: (delayMs, callback) => clock.after(Math.ceil(delayMs) + 0.1, callback),
    sleep: (delayMs, signal) => clock.sleep(Math.ceil(delayMs) + 0.1, signal),
  }
}

/** The same, but exact for `awake` timers. */
function coarseAsleep(clock: ManualClock): Clock {
  const asleep = coarse(clock)
  return { ...asleep, after: (delayMs, callback, awake) => (awake === true ? clock : asleep).after(delayMs, callback) }
}

async function slowBus(seenBy = coarse) {
  const clock = new ManualClock()
  const memory = new VolatileMemory()
  const chassis = new Chassis({ clock: seenBy(clock), random: seededRandom(1), memory: () => memory, bus: 'timed' })
  chassis.plug(2, toyDefinition())
  const link = await openOnTimedBus({ chassis, clock })
  const timeOf = async (exchanges: number): Promise<number> => {
    const from = clock.now()
    let until = Number.NaN
    const all = (async () => {
      for (let count = 0; count < exchanges; count++) await link.exchange(encodeRequest(modeRun, {}))
      until = clock.now()
    })()
    await clock.advance(exchanges * 2 * EXCHANGE_MS)
    await all
    return until - from
  }
  return { clock, timeOf }
}

it('an operation frame on the timed bus counts as sent after its last byte, 5.12 ms after its start at 100 kHz', async () => {
  const { chassis, clock } = toyChassis({ bus: 'timed' })
  const link = await openOnTimedBus({ chassis, clock })
  const sentAt: number[] = []
  link.onOperationSent?.(() => sentAt.push(clock.now()))
  const from = clock.now()
  const exchange = link.exchange(encodeRequest(modeRun, {}))
  await clock.advance(EXCHANGE_MS)
  await exchange
  expect(sentAt).toEqual([from + 5.12])
})

describe('the timed bus on a clock with late timers', () => {
  it('makes up in the second half of an exchange for lateness in the first', async () => {
    const { timeOf } = await slowBus()
    const taken = await timeOf(1)
    expect(taken).toBeGreaterThanOrEqual(EXCHANGE_MS)
    expect(taken).toBeLessThan(EXCHANGE_MS + 1.2 * GRAIN_MS)
  })

  it('lasts exactly as long as it should on a clock with awake timers', async () => {
    const { timeOf } = await slowBus(coarseAsleep)
    expect(await timeOf(1)).toBeCloseTo(EXCHANGE_MS, 6)
  })

  it('keeps its rate while it is busy, and never exceeds it', async () => {
    const { timeOf } = await slowBus()
    const taken = await timeOf(100)
    expect(taken).toBeGreaterThanOrEqual(100 * EXCHANGE_MS)
    expect(taken).toBeLessThan(100 * EXCHANGE_MS + 1.2 * GRAIN_MS)
  })
})
