import { afterEach, describe, expect, it } from 'vitest'
import { type Clock, nextTurn, SystemClock, type Timer } from './clock.ts'
import { ManualClock } from './manual-clock.ts'
import { MAX_BEHIND_MS, MAX_TURN_MS, PacedClock } from './paced-clock.ts'

const LATE_MS = 20

/** A clock on a busy machine: its timers come late. */
class LateClock extends ManualClock implements Clock {
  override after(delayMs: number, callback: () => void): Timer {
    return super.after(delayMs + LATE_MS, callback)
  }
}

function late(pace: number) {
  const base = new LateClock()
  const clock = new PacedClock(base)
  clock.pace = pace
  return { base, clock }
}

const running: Timer[] = []
afterEach(() => {
  for (const timer of running.splice(0)) timer.cancel()
})

/** Records the time every `everyMs` like a heartbeat: each beat counts from the one before. */
function beats(clock: Clock, everyMs: number): number[] {
  const at: number[] = []
  const beat = (): void => {
    at.push(clock.now())
    running.splice(0, 1, clock.after(everyMs, beat))
  }
  running.push(clock.after(everyMs, beat))
  return at
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

describe('PacedClock on a slow machine', () => {
  it('waits for its timers: each fires at its own moment, however much it has to catch up', async () => {
    const { base, clock } = late(100)
    const at = beats(clock, 250)
    await base.advance(LATE_MS + 2.5)
    await turns(20)
    expect(at).toEqual([250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2250])
    expect(clock.now()).toBe(2250)
  })

  it('does not move beyond a due timer that has not fired', async () => {
    const { base, clock } = late(1000)
    beats(clock, 250)
    await base.advance(LATE_MS)
    expect(clock.now()).toBe(250)
  })

  it('lets all ready work run between two moments', async () => {
    const { base, clock } = late(100)
    const seen: string[] = []
    const talk = async (name: string): Promise<void> => {
      seen.push(`${name} at ${clock.now()}`)
      for (let step = 0; step < 100; step++) await Promise.resolve()
      seen.push(`${name} heard at ${clock.now()}`)
    }
    clock.after(100, () => void talk('first'))
    clock.after(200, () => void talk('second'))
    await base.advance(LATE_MS + 5)
    await turns(10)
    expect(seen).toEqual(['first at 100', 'first heard at 100', 'second at 200', 'second heard at 200'])
  })

  it('skips time if the machine is much too slow', async () => {
    const { base, clock } = late(100)
    const at = beats(clock, 1000)
    // Ten seconds without any work, as under a debugger: a thousand seconds at this pace.
    base.after = (_delayMs, callback) => ManualClock.prototype.after.call(base, 10_000, callback)
    clock.pace = 100
    await base.advance(10_000)
    await turns(100)
    expect(at.length).toBe(1 + (MAX_BEHIND_MS * 100) / 1000)
    expect(clock.now()).toBe(1000 + MAX_BEHIND_MS * 100)
  })

  it('continues from its current time when the pace changes while it catches up', async () => {
    const { base, clock } = late(100)
    const at = beats(clock, 100)
    await base.advance(LATE_MS + 1)
    clock.pace = 0
    const stoodAt = clock.now()
    await turns(20)
    expect([clock.now(), at.at(-1)]).toEqual([stoodAt, stoodAt])
    clock.pace = 1
    await base.advance(LATE_MS + 99)
    expect(at.at(-1)).toBe(stoodAt)
    await base.advance(1)
    expect(at.at(-1)).toBe(stoodAt + 100 + LATE_MS)
  })

  it('keeps the pace if the machine is fast enough', async () => {
    const { base, clock } = late(10)
    const at = beats(clock, 5)
    for (let tenth = 0; tenth < 100; tenth++) {
      await base.advance(10)
      await turns(40)
    }
    expect(at.length).toBeGreaterThan((1000 * 10 - LATE_MS * 10) / 5 - 5)
    expect(at.every((beat, index) => beat === 5 * (index + 1))).toBe(true)
  })
})

describe('timers with long callbacks', () => {
  it('block other work for one turn at most', async () => {
    let nowMs = 0
    const clock = new PacedClock(new SystemClock({ monotonic: () => nowMs }))
    clock.pace = 0
    let fired = 0
    const slow = (): void => {
      fired++
      nowMs++
    }
    for (let timer = 0; timer < 3 * MAX_TURN_MS; timer++) clock.after(10, slow)
    const stepped = clock.step(10)
    const firedByTurn: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      await nextTurn()
      firedByTurn.push(fired)
    }
    await stepped
    expect(firedByTurn.map((sum, turn) => sum - (firedByTurn[turn - 1] ?? 0))).toEqual([
      ...Array.from({ length: 3 }, () => MAX_TURN_MS),
      0,
    ])
    expect(clock.now()).toBe(10)
  })

  it('block other work for one turn at most at pace 1, and time falls behind', async () => {
    let nowMs = 0
    let wake: (() => void) | undefined
    const base = new ManualClock()
    base.now = () => nowMs
    base.after = (_delayMs, callback) => {
      wake = callback
      return { cancel: () => undefined }
    }
    const clock = new PacedClock(base)
    const at: number[] = []
    const slow = (): void => {
      at.push(clock.now())
      nowMs += 2 * MAX_TURN_MS
    }
    const [together, count] = [10, 4]
    for (let timer = 0; timer < count; timer++) clock.after(together, slow)
    for (let timer = 1; timer <= 2 * MAX_BEHIND_MS; timer++) clock.after(together + timer, slow)
    nowMs = together
    wake?.()
    expect(at).toEqual([together])
    for (let turn = 1; turn < count; turn++) {
      await nextTurn()
      expect(at).toHaveLength(turn + 1)
    }
    await turns(1000)
    // Each timer fires at its own time, in its order, as if it needed no time.
    const alone = Array.from({ length: 2 * MAX_BEHIND_MS }, (_, index) => together + index + 1)
    expect(at).toEqual([...Array.from({ length: count }, () => together), ...alone])
    expect(clock.now() - together).toBeLessThanOrEqual(3 * MAX_BEHIND_MS + 2 * MAX_TURN_MS)
  })

  it('do not block others even if they start each other without end', async () => {
    const base = new SystemClock()
    const clock = new PacedClock(base)
    clock.pace = 10
    let fired = 0
    const again = (): void => {
      fired++
      clock.after(0, again)
    }
    clock.after(0, again)
    await expect.poll(() => fired).toBeGreaterThan(1)
    clock.pace = 0
    const firedThen = fired
    await turns(3)
    expect(fired).toBe(firedThen)
  })
})

describe('a step', () => {
  it('runs after the previous step', async () => {
    const clock = new PacedClock(new ManualClock())
    clock.pace = 0
    const at = beats(clock, 100)
    await Promise.all([clock.step(250), clock.step(250)])
    expect(at).toEqual([100, 200, 300, 400, 500])
  })

  it('ends at its current time when the pace is set, also to 0 again', async () => {
    const clock = new PacedClock(new ManualClock())
    clock.pace = 0
    const at = beats(clock, 100)
    const steps = [clock.step(1e9), clock.step(1e9)]
    await turns(3)
    clock.pace = 5
    clock.pace = 0
    await Promise.all(steps)
    expect(clock.now()).toBe(at.at(-1))
    await clock.step(100)
    expect(clock.now()).toBe(at.length * 100)
  })
})
