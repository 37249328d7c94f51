import { LinkError, type Repeated } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { setValue } from './fake-module.testkit.ts'
import {
  HEARTBEAT_PERIOD_MS,
  MAX_HEARTBEAT_GAP_MS,
  MAX_HEARTBEAT_INTERVAL_MS,
  MIN_HEARTBEAT_INTERVAL_MS,
  RENEWAL_MS,
} from './heartbeat.ts'
import { bench, outcomeOf, PHASE_MS, readValue, started } from './slot.testkit.ts'

/** Half a period away from the moments, at 10 ms for each beat. */
const LATEST_AT_MOMENTS = 5

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] as number))
}

describe('the heartbeat', () => {
  it('sends MODE_RUN every 90…110 ms, soon at the same moments as the other slots', async () => {
    const { clock, module } = await started()
    await clock.advance(60_000)
    const gaps = gapsOf(module.sent.map((frame) => frame.atMs))
    expect(module.names()).toEqual([])
    expect(gaps.length).toBeGreaterThan(60_000 / MAX_HEARTBEAT_INTERVAL_MS - 2)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MIN_HEARTBEAT_INTERVAL_MS)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(MAX_HEARTBEAT_INTERVAL_MS)
    const moments = module.sent.slice(LATEST_AT_MOMENTS).map((frame) => frame.atMs % HEARTBEAT_PERIOD_MS)
    expect([...new Set(moments)]).toEqual([PHASE_MS])
  })

  it('goes by deadline, ahead of a full queue and between the exchanges of one job', async () => {
    const { clock, module, slot, events } = await started()
    module.exchangeMs = 10
    const writers = Array.from({ length: 100 }, () =>
      slot.write(async (exchange) => {
        for (let step = 0; step < 20; step++) await exchange(setValue, { value: step })
      }),
    )
    await clock.advance(24_000)
    await Promise.all(writers)
    const times = module.sent.filter((frame) => frame.name === 'MODE_RUN').map((frame) => frame.atMs)
    expect(Math.max(...gapsOf(times))).toBeLessThanOrEqual(MAX_HEARTBEAT_INTERVAL_MS + 10)
    expect(events).not.toContain('session')
  })

  it('continues at the next moment after a failure, without losing the module', async () => {
    const { clock, module, slot, events, log } = await started()
    module.fail('transfer-failed', { times: 2, name: 'MODE_RUN' })
    module.misbehave(() => Uint8Array.of(1, 2, 3), { name: 'MODE_RUN' })
    await clock.advance(500)
    expect(module.count('MODE_RUN')).toBeGreaterThanOrEqual(4)
    expect(events).toEqual([])
    expect(log.linesOf('warn')).toEqual([expect.objectContaining({ message: 'heartbeat failed' })])
    expect(await readValue(slot)).toBe(1)
  })

  it('notices a module that is gone', async () => {
    const { clock, module, events } = await started()
    module.misbehave(() => Promise.reject(new LinkError('gone', 'unplugged')))
    await clock.advance(MAX_HEARTBEAT_INTERVAL_MS)
    expect(events).toEqual(['lost'])
    expect(clock.pending).toBe(0)
  })
})

describe('a gap in the heartbeat', () => {
  const RESTART = ['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN']
  type Made = Awaited<ReturnType<typeof started>>
  it.each<[string, (made: Made) => Promise<unknown>]>([
    ['while the bus was taken', async ({ clock, module }) => (module.fail('busy', { times: 8 }), clock.advance(1000))],
    ['while this process was stopped', async ({ clock }) => (clock.skip(5000), clock.advance(0))],
    [
      'while this process was stopped after a heartbeat that failed',
      async ({ clock, module }) => {
        module.fail('transfer-failed')
        await clock.advance(MAX_HEARTBEAT_INTERVAL_MS)
        clock.skip(5000)
        await clock.advance(0)
      },
    ],
    [
      'while this process was stopped during an exchange',
      async ({ clock, module, slot }) => {
        let answer: (response: Uint8Array) => void = () => undefined
        module.misbehave(() => new Promise((resolve) => (answer = resolve)))
        const read = readValue(slot)
        await clock.advance(MAX_HEARTBEAT_INTERVAL_MS)
        clock.skip(5000)
        const resumed = clock.advance(0)
        answer(Uint8Array.of(3, 1, 2, 0, 0, 42))
        await resumed
        expect(await read).toBe(42)
      },
    ],
    [
      'while the module asked for time',
      async ({ clock, module, slot }) => {
        module.exchangeMs = 1200
        const read = outcomeOf(readValue(slot))
        await clock.advance(600)
        module.exchangeMs = 0
        await clock.advance(600)
        expect(read.value).toBe(1)
      },
    ],
  ])(`beyond ${MAX_HEARTBEAT_GAP_MS} ms %s starts a new session, in which the module is suspended first`, async (_what, gap) => {
    const made = await started()
    const { clock, module, slot, events } = made
    module.notify(1)
    const session = slot.session
    await gap(made)
    const before = module.sent.findLastIndex(({ name }) => name !== 'MODE_RUN' && !RESTART.includes(name)) + 1
    await clock.advance(200)
    expect(events).toEqual(['notified', 'session'])
    expect(slot.session).toMatch(/^[A-Z0-9]{64}$/)
    expect(slot.session).not.toBe(session)
    const sent = module.sent.slice(before).map(({ name }) => name)
    expect(sent.slice(sent.indexOf('MODE_SUSPEND')).slice(0, 3)).toEqual(RESTART)
    await clock.advance(2000)
    expect(events).toEqual(['notified', 'session'])
    expect(slot.notifications.has(1)).toBe(true)
  })

  it('ends a session in which the module was asked and did not answer: all requests together, within a second', async () => {
    const { clock, module, slot, events, statistics } = await started({ queueLimit: 40 })
    module.misbehave(() => clock.sleep(250).then(() => Promise.reject(new LinkError('transfer-failed', 'no response'))), {
      times: Number.POSITIVE_INFINITY,
    })
    const ended: number[] = []
    const writes = Array.from({ length: 40 }, (_, value) => {
      const write = slot.write((exchange) => exchange(setValue, { value }))
      write.catch(() => ended.push(clock.now()))
      return outcomeOf(write)
    })
    await clock.advance(1000)
    expect(new Set(ended).size).toBe(1)
    expect(new Set(writes.map(({ code }) => code))).toEqual(new Set(['module-hung']))
    expect([ended.length, slot.ended, events, statistics.sessions]).toEqual([40, 'hung', ['lost', 'written'], 1])
  })

  it('keeps the session if it is 700 ms long', async () => {
    const { clock, module, slot, events } = await started()
    const session = slot.session
    module.fail('transfer-failed', { times: Number.POSITIVE_INFINITY })
    await clock.advance(690)
    module.recover()
    await clock.advance(1000)
    expect(events).toEqual([])
    expect(slot.session).toBe(session)
  })
})

describe('a link that repeats the heartbeat by itself', () => {
  const FAILED = 'heartbeat failed'
  /** Runs a slot on such a link for four renewals. From the third call on, `repeat` does this. */
  async function fourRenewals(then: () => Promise<Repeated>) {
    const made = bench()
    let calls = 0
    made.module.repeat = async (): Promise<Repeated> => (++calls < 3 ? { count: 2, sinceMs: 50 } : then())
    await made.slot.start()
    const { session } = made.slot
    await made.clock.advance(4 * RENEWAL_MS)
    return {
      ...made,
      calls,
      warnings: made.log.linesOf('warn').map(({ message }) => message),
      isSame: session === made.slot.session,
    }
  }

  it('is asked to continue in time, and nothing else is sent', async () => {
    const { module, statistics, calls, isSame } = await fourRenewals(async () => ({ count: 2, sinceMs: 50 }))
    // That of the start and the first heartbeat.
    expect(module.count('MODE_RUN')).toBe(2)
    expect(calls).toBe(1 + 4)
    expect(statistics.heartbeats).toBe(1 + 2 * calls)
    expect(isSame).toBe(true)
  })

  it('is asked to continue in each turn of a process whose turns take 800 ms', async () => {
    const { slot, module, clock } = bench()
    const asked: number[] = []
    let answer: ((repeated: Repeated) => void) | undefined
    module.repeat = () => {
      asked.push(clock.now())
      return new Promise((resolve) => {
        answer = resolve
      })
    }
    await slot.start()
    await clock.advance(MAX_HEARTBEAT_INTERVAL_MS)
    for (let turn = 0; turn < 10; turn++) {
      clock.skip(800)
      await clock.advance(0)
      // What has come meanwhile is handled after the timers.
      answer?.({ count: 8, sinceMs: 20 })
      await clock.advance(0)
    }
    expect(gapsOf(asked)).toEqual(Array(10).fill(800))
    expect(module.count('MODE_RUN')).toBe(2)
  })

  it.each<[string, () => Promise<Repeated>, string[], boolean]>([
    ['has ended because it was asked too late', async () => ({ count: 0, sinceMs: 400, end: 'late' }), [], true],
    ['has ended so long ago that the module lost its state', async () => ({ count: 1, sinceMs: 950, end: 'late' }), [], false],
    ['did not get the expected answer', async () => ({ count: 1, sinceMs: 90, end: 'failed' }), [FAILED], true],
    ['does not answer', () => new Promise(() => undefined), [], true],
    ['fails', () => Promise.reject(new LinkError('transfer-failed', 'no')), [FAILED], true],
  ])('is relieved at once when it %s', async (_what, then, warnings, isSame) => {
    const found = await fourRenewals(then)
    expect(found.module.count('MODE_RUN')).toBeGreaterThan(3)
    expect(found.warnings.filter((message) => message === FAILED).slice(0, 1)).toEqual(warnings)
    expect(found.isSame).toBe(isSame)
    expect(found.events.includes('lost')).toBe(false)
  })
})
