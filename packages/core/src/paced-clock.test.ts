import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from './manual-clock.ts'
import { MAX_PACE, PacedClock } from './paced-clock.ts'

function clocks() {
  const base = new ManualClock({ startMs: 5000 })
  return { base, clock: new PacedClock(base) }
}

describe('PacedClock', () => {
  it('runs with its base clock until its pace is set', async () => {
    const { base, clock } = clocks()
    let firedAt = 0
    clock.after(100, () => {
      firedAt = clock.now()
    })
    await base.advance(99)
    expect([clock.now(), firedAt]).toEqual([5099, 0])
    await base.advance(1)
    expect([clock.now(), firedAt]).toEqual([5100, 5100])
  })

  it('runs ten times as fast at pace 10, also for running timers', async () => {
    const { base, clock } = clocks()
    let firedAt = 0
    clock.after(1000, () => {
      firedAt = base.now()
    })
    await base.advance(500)
    clock.pace = 10
    await base.advance(49)
    expect(firedAt).toBe(0)
    await base.advance(1)
    expect([firedAt, clock.now()]).toEqual([5550, 6000])
  })

  it('uses awake timers only at pace 1: at any other pace time waits for its timers', () => {
    const asked: (boolean | undefined)[] = []
    const base = new ManualClock()
    const clock = new PacedClock({
      now: () => base.now(),
      sleep: (delayMs) => base.sleep(delayMs),
      after: (delayMs, callback, awake) => {
        asked.push(awake)
        return base.after(delayMs, callback)
      },
    })
    clock.after(5, () => undefined)
    clock.after(3, () => undefined, true)
    clock.pace = 10
    clock.pace = 1
    expect(asked).toEqual([false, true, false, true])
  })

  it('stops at pace 0 without timers on its base clock, and continues where it was', async () => {
    const { base, clock } = clocks()
    let fired = 0
    clock.after(10, () => fired++)
    await base.advance(5)
    clock.pace = 0
    expect(base.pending).toBe(0)
    await base.advance(1000)
    expect([fired, clock.now()]).toEqual([0, 5005])
    clock.pace = 0.5
    await base.advance(9)
    expect(fired).toBe(0)
    await base.advance(1)
    expect([fired, clock.now()]).toEqual([1, 5010])
  })

  it('is advanced by step while it is stopped, timer by timer', async () => {
    const { clock } = clocks()
    clock.pace = 0
    const fired: number[] = []
    const again = (): void => {
      fired.push(clock.now())
      clock.after(100, again)
    }
    clock.after(100, again)
    await clock.step(350)
    expect([fired, clock.now()]).toEqual([[5100, 5200, 5300], 5350])
    await clock.step(50)
    expect(fired.at(-1)).toBe(5400)
  })

  it('refuses a step while it runs, and a step backwards', async () => {
    const { clock } = clocks()
    await expect(clock.step(1)).rejects.toThrow('set its pace to 0')
    clock.pace = 0
    await expect(clock.step(-1)).rejects.toThrow('time goes forward')
  })

  it.each([-1, MAX_PACE + 1, Number.NaN])('refuses a pace of %f', (pace) => {
    const { clock } = clocks()
    expect(() => {
      clock.pace = pace
    }).toThrow(`the pace is ${pace}: 0…${MAX_PACE}`)
  })

  it('leaves no timer when its last one is cancelled', () => {
    const { base, clock } = clocks()
    clock.after(10, () => undefined).cancel()
    expect(base.pending).toBe(0)
  })

  it('fires no timer early and keeps their order at any pace', async () => {
    const delays = fc.array(
      fc.integer({ min: 0, max: 64_000 }).map((part) => part / 64),
      { minLength: 1, maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(
        delays,
        fc.array(fc.double({ min: 0.01, max: 50, noNaN: true }), { maxLength: 5 }),
        async (dues, paces) => {
          const { base, clock } = clocks()
          const started = clock.now()
          const fired: { due: number; at: number }[] = []
          for (const due of dues) clock.after(due, () => fired.push({ due, at: clock.now() - started }))
          for (const pace of paces) {
            clock.pace = pace
            await base.advance(3)
          }
          clock.pace = 1
          await base.advance(1001)
          expect(fired.map(({ due }) => due)).toEqual(dues.toSorted((a, b) => a - b))
          for (const { due, at } of fired) expect(at).toBeGreaterThanOrEqual(due - 1e-9)
        },
      ),
    )
  })
})
