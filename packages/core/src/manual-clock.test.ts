import { describe, expect, it } from 'vitest'
import { ManualClock } from './manual-clock.ts'

describe('ManualClock', () => {
  it('stands still until it is advanced', async () => {
    const clock = new ManualClock({ startMs: 5 })
    await clock.advance(0)
    expect(clock.now()).toBe(5)
    await clock.advance(2.5)
    expect(clock.now()).toBe(7.5)
  })

  it('fires timers in order of their due time, each at its own time', async () => {
    const clock = new ManualClock()
    const fired: [string, number][] = []
    clock.after(30, () => fired.push(['late', clock.now()]))
    clock.after(0.25, () => fired.push(['early', clock.now()]))
    clock.after(10, () => fired.push(['middle', clock.now()]))
    await clock.advance(30)
    expect(fired).toEqual([
      ['early', 0.25],
      ['middle', 10],
      ['late', 30],
    ])
  })

  it('does not fire timers that are due later', async () => {
    const clock = new ManualClock()
    const fired: number[] = []
    clock.after(10, () => fired.push(clock.now()))
    await clock.advance(9.999)
    expect(fired).toEqual([])
    expect(clock.pending).toBe(1)
  })

  it('fires a timer that another timer started, within the same advance', async () => {
    const clock = new ManualClock()
    const fired: number[] = []
    const again = (): void => {
      fired.push(clock.now())
      if (fired.length < 4) clock.after(10, again)
    }
    clock.after(10, again)
    await clock.advance(35)
    expect(fired).toEqual([10, 20, 30])
    expect(clock.now()).toBe(35)
    await clock.advance(5)
    expect(fired).toEqual([10, 20, 30, 40])
  })

  it('fires a timer of 0 ms that another timer started, after those already due', async () => {
    const clock = new ManualClock()
    const fired: string[] = []
    clock.after(1, () => {
      fired.push('a')
      clock.after(0, () => fired.push('c'))
    })
    clock.after(1, () => fired.push('b'))
    await clock.advance(1)
    expect(fired).toEqual(['a', 'b', 'c'])
  })

  it('runs promise callbacks of a timer before the time moves further', async () => {
    const clock = new ManualClock()
    const seen: number[] = []
    const work = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(10)
        seen.push(clock.now())
      }
    }
    const done = work()
    await clock.advance(100)
    await done
    expect(seen).toEqual([10, 20, 30])
  })

  it('treats a negative delay as 0, and an infinite one as never', async () => {
    const clock = new ManualClock()
    const fired: string[] = []
    clock.after(-5, () => fired.push('now'))
    clock.after(Number.POSITIVE_INFINITY, () => fired.push('never'))
    await clock.advance(1_000_000)
    expect(fired).toEqual(['now'])
  })

  it('refuses a delay that is not a number, and going back in time', async () => {
    const clock = new ManualClock()
    expect(() => clock.after(Number.NaN, () => undefined)).toThrow(RangeError)
    await expect(clock.advance(-1)).rejects.toThrow(RangeError)
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError)
    expect(clock.now()).toBe(0)
  })

  it('never goes back when two advances overlap', async () => {
    const clock = new ManualClock()
    await Promise.all([clock.advance(10), clock.advance(5)])
    expect(clock.now()).toBe(10)
  })

  it('passes an error of a callback to the caller of advance, and keeps the other timers', async () => {
    const clock = new ManualClock()
    const fired: string[] = []
    clock.after(10, () => {
      throw new Error('broken')
    })
    clock.after(10, () => fired.push('kept'))
    await expect(clock.advance(10)).rejects.toThrow('broken')
    await clock.advance(0)
    expect(fired).toEqual(['kept'])
  })
})

it('timers that start each other at one moment without end are reported instead of hanging', async () => {
  const clock = new ManualClock()
  const again = (): void => {
    clock.after(0, again)
  }
  again()
  await expect(clock.advance(0)).rejects.toThrow('timers start each other without end at 0 ms')
})

describe('sleep', () => {
  it('resolves when its time has come and leaves nothing behind', async () => {
    const clock = new ManualClock()
    const sleeping = clock.sleep(10)
    await clock.advance(10)
    await expect(sleeping).resolves.toBeUndefined()
    expect(clock.pending).toBe(0)
  })

  it('rejects with the reason as soon as the signal is aborted, and stops its timer', async () => {
    const clock = new ManualClock()
    const abort = new AbortController()
    const sleeping = clock.sleep(1000, abort.signal)
    const reason = new Error('module lost')
    abort.abort(reason)
    await expect(sleeping).rejects.toBe(reason)
    expect(clock.pending).toBe(0)
  })

  it('rejects at once when the signal was aborted before, without a timer', async () => {
    const clock = new ManualClock()
    const reason = new Error('stopping')
    await expect(clock.sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(clock.pending).toBe(0)
  })

  it('ignores an abort after its time', async () => {
    const clock = new ManualClock()
    const abort = new AbortController()
    const sleeping = clock.sleep(10, abort.signal)
    await clock.advance(10)
    abort.abort(new Error('too late'))
    await expect(sleeping).resolves.toBeUndefined()
  })

  it('waits at each moment until work outside the process is done', async () => {
    const seen: number[] = []
    const clock: ManualClock = new ManualClock({ settled: async () => void seen.push(clock.now()) })
    clock.after(10, () => undefined)
    await clock.advance(25)
    expect(seen).toEqual([0, 10, 25])
  })
})
