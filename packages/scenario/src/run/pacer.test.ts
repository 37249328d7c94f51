import { ManualClock, nextTurn, PacedClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { asFastAsPossible, inRealTime } from './pacer.ts'
import { runText } from './running.testkit.ts'

describe('asFastAsPossible', () => {
  it('advances to a moment, and runs all timers on the way', async () => {
    const clock = new ManualClock()
    const fired: number[] = []
    const again = (): void => {
      fired.push(clock.now())
      if (clock.now() < 5000) clock.after(1500, again)
    }
    clock.after(1500, again)
    await asFastAsPossible(clock).waitUntil(4600)
    expect([clock.now(), ...fired]).toEqual([4600, 1500, 3000, 4500])
  })

  it('advances timer by timer, no further than the work needs', async () => {
    const clock = new ManualClock()
    clock.after(10_000, () => undefined)
    const work = clock.sleep(3).then(() => clock.sleep(4))
    expect(await asFastAsPossible(clock).settle(work, 60_000)).toEqual({ result: undefined })
    expect(clock.now()).toBe(7)
  })

  it('does not advance time for work that needs none, however many event loop turns it takes', async () => {
    const clock = new ManualClock()
    clock.after(1, () => undefined)
    const work = async (): Promise<string> => {
      for (let turn = 0; turn < 10; turn++) await nextTurn()
      return 'done'
    }
    expect(await asFastAsPossible(clock).settle(work(), 60_000)).toEqual({ result: 'done' })
    expect(clock.now()).toBe(0)
  })

  it('gives up work at its deadline, and rejects with the error of the work', async () => {
    const clock = new ManualClock()
    const pacer = asFastAsPossible(clock)
    expect(await pacer.settle(new Promise(() => undefined), 500)).toBeUndefined()
    expect(clock.now()).toBe(500)
    await expect(pacer.settle(Promise.reject(new Error('no')), 900)).rejects.toThrow('no')
  })

  it('stops at every timer while background work runs', async () => {
    const clock = new ManualClock()
    const pacer = asFastAsPossible(clock)
    const turns = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn++) await nextTurn()
    }
    // Each sleep begins several turns of the event loop after the one before; none of these turns takes twin time.
    const work = async (): Promise<number> => {
      for (let times = 0; times < 3; times++) {
        await turns(8)
        await clock.sleep(10)
      }
      return clock.now()
    }
    for (let ms = 1; ms < 100; ms++) clock.after(ms, () => undefined)
    const ended = work()
    pacer.addBackground(ended)
    await pacer.waitUntil(100)
    expect(await ended).toBe(30)
  })

  it('rejects when it is aborted', async () => {
    const clock = new ManualClock()
    const stop = new AbortController()
    clock.after(2000, () => stop.abort(new Error('enough')))
    await expect(asFastAsPossible(clock).waitUntil(3_600_000, stop.signal)).rejects.toThrow('enough')
    expect(clock.now()).toBeLessThanOrEqual(3000)
    await expect(asFastAsPossible(clock).settle(Promise.resolve(), 1, stop.signal)).rejects.toThrow('enough')
  })
})

describe('inRealTime', () => {
  it('waits for a running clock', async () => {
    const base = new ManualClock()
    const clock = new PacedClock(base)
    clock.pace = 10
    const pacer = inRealTime(clock)
    let isOver = false
    const waiting = pacer.waitUntil(1000).then(() => (isOver = true))
    await base.advance(99)
    expect(isOver).toBe(false)
    await base.advance(1)
    await waiting
    expect(clock.now()).toBe(1000)
  })

  it('waits for work up to its deadline, and leaves no timer', async () => {
    const clock = new ManualClock()
    const pacer = inRealTime(clock)
    expect(await pacer.settle(Promise.resolve('done'), 500)).toEqual({ result: 'done' })
    expect(clock.pending).toBe(0)
    const late = pacer.settle(new Promise(() => undefined), 500)
    await clock.advance(500)
    expect(await late).toBeUndefined()
    await expect(pacer.settle(Promise.reject(new Error('no')), 900)).rejects.toThrow('no')
    expect(clock.pending).toBe(0)
  })

  it('rejects when it is aborted', async () => {
    const clock = new ManualClock()
    const stop = new AbortController()
    const waiting = [
      inRealTime(clock).waitUntil(10, stop.signal),
      inRealTime(clock).settle(new Promise(() => undefined), 10, stop.signal),
    ]
    stop.abort(new Error('enough'))
    for (const each of waiting) await expect(each).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
  })
})

describe('a scenario that is stopped', () => {
  it('ends at once, reports the reason, and skips the rest', async () => {
    const stop = new AbortController()
    const seen: unknown[] = []
    const result = await runText('steps:\n  - short: 3/1\n  - at: 1h\n    short: 3/2\n  - expect: { pin: 3/1, volts: 0 }', {
      signal: stop.signal,
      onProgress: (progress) => {
        seen.push(progress)
        stop.abort()
      },
    })
    expect(seen).toEqual([{ step: 0, steps: 3, atMs: 0, text: 'short: 3/1' }])
    expect(result).toMatchObject({ ok: false, stopped: 'it was stopped', durationMs: 0, failureCount: 0 })
    expect(result.steps.map(({ state }) => state)).toEqual(['passed', 'skipped', 'skipped'])
  })
})
