import { encodeRefusal } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EXCHANGE_DEADLINE_MS } from './bus.ts'
import { getValue, setValue } from './fake-module.testkit.ts'
import { outcomeOf, readValue, started } from './slot.testkit.ts'
import { DURATION_BOUNDS_SECONDS, DurationHistogram } from './slot-statistics.ts'

describe('the statistics of a slot', () => {
  it('count every transaction, including those of the start', async () => {
    const { slot, statistics } = await started()
    // FW_VERSION, SET_SCLK_SPEED, MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN.
    expect(statistics).toMatchObject({ transactions: 5, sessions: 1, retries: 0 })
    await readValue(slot)
    expect(statistics.transactions).toBe(6)
    expect(statistics.exchanges.count).toBe(6)
  })

  it('contain the duration of exchanges', async () => {
    const { clock, module, slot, statistics } = await started()
    module.exchangeMs = 7
    const before = statistics.exchanges.sumSeconds
    const read = readValue(slot)
    await clock.advance(7)
    await read
    expect(statistics.exchanges.sumSeconds - before).toBeCloseTo(0.007)
  })

  it.each(['transfer-failed', 'busy'] as const)('count an exchange that failed with %s, and its retry', async (failure) => {
    const { module, slot, statistics } = await started()
    module.fail(failure, { times: 2 })
    await readValue(slot)
    expect(statistics).toMatchObject({ transactions: 8, retries: 2, failures: { [failure]: 2 } })
  })

  it('count an invalid answer', async () => {
    const { module, slot, statistics } = await started()
    module.misbehave(() => Uint8Array.of(9, 9, 9))
    await readValue(slot)
    expect(statistics).toMatchObject({ retries: 1, failures: { garbled: 1 } })
  })

  it('count a refusal as an answer', async () => {
    const { module, slot, statistics } = await started()
    module.misbehave(() => encodeRefusal(setValue, 3))
    await expect(slot.write((exchange) => exchange(setValue, { value: 1 }))).rejects.toMatchObject({ status: 3 })
    expect(Object.values(statistics.failures)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('count a module that leaves, and one that hangs, once', async () => {
    const left = await started()
    left.module.fail('gone')
    await expect(readValue(left.slot)).rejects.toMatchObject({ code: 'module-lost' })
    expect(left.statistics.failures).toMatchObject({ gone: 1, hung: 0 })
    const hung = await started()
    hung.module.hang()
    const read = outcomeOf(readValue(hung.slot))
    await hung.clock.advance(EXCHANGE_DEADLINE_MS)
    expect(read.code).toBe('module-hung')
    expect(hung.statistics.failures).toMatchObject({ gone: 0, hung: 1 })
  })

  it('count heartbeats, and failed ones', async () => {
    const { clock, module, statistics } = await started()
    await clock.advance(500)
    const acknowledged = module.count('MODE_RUN')
    expect(statistics).toMatchObject({ heartbeats: acknowledged, failedHeartbeats: 0, transactions: acknowledged + 5 })
    module.fail('transfer-failed', { times: 2, name: 'MODE_RUN' })
    await clock.advance(400)
    expect(statistics).toMatchObject({ heartbeats: module.count('MODE_RUN') - 2, failedHeartbeats: 2 })
  })

  it('count a new session after a gap', async () => {
    const { clock, module, statistics } = await started()
    module.fail('busy', { times: 10, name: 'MODE_RUN' })
    await clock.advance(2000)
    expect(statistics.sessions).toBe(2)
  })

  it('count valid notifications', async () => {
    const { module, statistics } = await started()
    module.notify(1, 0, 0, 0)
    module.notify(1, 0, 0, 0)
    module.raw(Uint8Array.of(1, 2))
    expect(statistics.notifications).toBe(2)
  })

  it('count jobs that a full queue refuses, and those that wait', async () => {
    const { clock, module, slot, statistics } = await started({ queueLimit: 2 })
    module.exchangeMs = 10
    const reads = [1, 2, 3, 4].map((key) => outcomeOf(slot.read(`${key}`, { fresh: true }, (exchange) => exchange(getValue, {}))))
    await clock.advance(0)
    expect([slot.waitingJobs, statistics.refusedJobs]).toEqual([2, 1])
    expect(reads.map(({ code }) => code)).toEqual([undefined, undefined, undefined, 'queue-full'])
    await clock.advance(30)
    expect(slot.waitingJobs).toBe(0)
  })

  it('count jobs ahead that are refused, and those that wait', async () => {
    const { module, slot, statistics } = await started()
    module.exchangeMs = 10
    const ahead = () => outcomeOf(slot.write((exchange) => exchange(getValue, {}), { turn: 'ahead', limit: 1 }))
    const [, , refused] = [ahead(), ahead(), ahead()]
    await Promise.resolve()
    expect([refused?.code, slot.waitingJobs, statistics.refusedJobs]).toEqual(['queue-full', 1, 1])
    slot.end('stopping')
  })
})

function histogramOf(...milliseconds: number[]): DurationHistogram {
  const histogram = new DurationHistogram()
  for (const duration of milliseconds) histogram.add(duration)
  return histogram
}

describe('DurationHistogram', () => {
  it('has buckets from 0.1 ms to 10 s', () => {
    expect(DURATION_BOUNDS_SECONDS[0]).toBe(0.0001)
    expect(DURATION_BOUNDS_SECONDS.at(-1)).toBe(10)
    expect([...DURATION_BOUNDS_SECONDS].sort((one, other) => one - other)).toEqual(DURATION_BOUNDS_SECONDS)
  })

  it('counts a value at a bound in its bucket, and a higher one in the next', () => {
    const { cumulative } = histogramOf(0, 0.1, 0.1001, 0.25, 10_000)
    expect(cumulative.slice(0, 3)).toEqual([2, 4, 4])
    expect(cumulative.at(-1)).toBe(5)
  })

  it('counts a value above all bounds in count and sum only', () => {
    const histogram = histogramOf(10_001)
    expect(histogram.cumulative.at(-1)).toBe(0)
    expect([histogram.count, histogram.sumSeconds]).toEqual([1, 10.001])
  })

  it('counts for each bound the values up to it', () =>
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20_000, noNaN: true })), (durations) => {
        const histogram = histogramOf(...durations)
        const expected = DURATION_BOUNDS_SECONDS.map((bound) => durations.filter((ms) => ms <= bound * 1000).length)
        expect(histogram.cumulative).toEqual(expected)
        expect(histogram.count).toBe(durations.length)
      }),
    ))
})
