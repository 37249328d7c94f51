import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { nextTurn, SystemClock } from './clock.ts'

/** A clock that a test moves, and how often it read the time in the next turns of the event loop. */
function watchedClock() {
  const time = { ms: 0 }
  let reads = 0
  const clock = new SystemClock({
    monotonic: () => {
      reads++
      return time.ms
    },
  })
  const readsIn = async (turns: number): Promise<number> => {
    const before = reads
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    return reads - before
  }
  return { clock, time, readsIn }
}

describe('SystemClock', () => {
  it('counts from its creation, not from the start of the process', () => {
    const performanceNow = vi.spyOn(performance, 'now').mockReturnValue(127_268)
    onTestFinished(() => performanceNow.mockRestore())
    const clock = new SystemClock()
    performanceNow.mockReturnValue(127_376)
    expect(clock.now()).toBe(108)
  })

  it('moves forward', () => {
    const clock = new SystemClock()
    const before = clock.now()
    expect(clock.now()).toBeGreaterThanOrEqual(before)
  })

  it('fires in order of due time, to the fraction of a millisecond, and never early', async () => {
    const clock = new SystemClock()
    const fired: string[] = []
    const early: string[] = []
    const start = (name: string, delayMs: number) =>
      new Promise<void>((resolve) => {
        const due = clock.now() + delayMs
        clock.after(delayMs, () => {
          fired.push(name)
          if (clock.now() < due) early.push(name)
          resolve()
        })
      })
    await Promise.all([start('third', 1.9), start('second', 0.9), start('first', 0.2), start('fourth', 3)])
    expect(fired).toEqual(['first', 'second', 'third', 'fourth'])
    expect(early).toEqual([])
  })

  it('fires an earlier timer before the one it was waiting for, and no cancelled one', async () => {
    const clock = new SystemClock()
    const fired: string[] = []
    const far = clock.after(60_000, () => fired.push('far'))
    await new Promise<void>((resolve) => {
      const earlier = clock.after(0, () => fired.push('cancelled'))
      earlier.cancel()
      clock.after(1, resolve)
    })
    far.cancel()
    far.cancel()
    expect(fired).toEqual([])
  })

  it('fires timers that other timers start', async () => {
    const clock = new SystemClock()
    await new Promise<void>((resolve) => clock.after(0, () => clock.after(0, resolve)))
    await clock.sleep(0)
  })

  it('accepts delays longer than a system timer allows, without firing at once', async () => {
    const clock = new SystemClock()
    let fired = false
    const timer = clock.after(2 ** 40, () => {
      fired = true
    })
    const endless = clock.after(Number.POSITIVE_INFINITY, () => {
      fired = true
    })
    await clock.sleep(2)
    expect(fired).toBe(false)
    timer.cancel()
    endless.cancel()
  })

  it('rejects a sleep with the reason of its signal', async () => {
    const clock = new SystemClock()
    const abort = new AbortController()
    const sleeping = clock.sleep(60_000, abort.signal)
    abort.abort(new Error('stopping'))
    await expect(sleeping).rejects.toThrow('stopping')
  })

  it('keeps the process alive while something waits, and no longer', () => {
    const timeouts = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timeouts()
    const clock = new SystemClock()
    const first = clock.after(60_000, () => undefined)
    const second = clock.after(50_000, () => undefined)
    expect(timeouts()).toBe(before + 1)
    second.cancel()
    expect(timeouts()).toBe(before + 1)
    first.cancel()
    expect(timeouts()).toBe(before)
  })

  it('jumps over the time in which the process was stopped', () => {
    let ms = 0
    const clock = new SystemClock({ monotonic: () => ms })
    const timer = clock.after(100, () => undefined)
    ms = 5000
    expect(clock.now()).toBe(5000)
    timer.cancel()
  })

  it('waits for its timers instead if configured, and continues from there', () => {
    let ms = 0
    const clock = new SystemClock({ monotonic: () => ms, maxLatenessMs: 50 })
    const timer = clock.after(100, () => undefined)
    ms = 149
    expect(clock.now()).toBe(149)
    ms = 5000
    expect(clock.now()).toBe(150)
    timer.cancel()
    ms = 5010
    expect(clock.now()).toBe(160)
  })

  it('fires timers that became due in a stall in their order, each as if there had been no stall', async () => {
    let ms = 0
    const clock = new SystemClock({ monotonic: () => ms, maxLatenessMs: 50 })
    const fired: [string, number][] = []
    const done = new Promise<void>((resolve) => {
      clock.after(200, () => {
        fired.push(['late', clock.now()])
        resolve()
      })
    })
    clock.after(1, () => {
      fired.push(['early', clock.now()])
      ms += 150
    })
    ms = 10_000
    await done
    expect(fired).toEqual([
      ['early', 51],
      ['late', 201],
    ])
  })
})

describe('a timer with awake', () => {
  it('fires in the turn in which it is due, not earlier', async () => {
    const { clock, time, readsIn } = watchedClock()
    let fired = false
    clock.after(0.5, () => (fired = true), true)
    time.ms = 0.499
    expect(await readsIn(100)).toBeGreaterThanOrEqual(100)
    expect(fired).toBe(false)
    time.ms = 0.5
    await readsIn(2)
    expect(fired).toBe(true)
    expect(await readsIn(100)).toBe(0)
  })

  it('costs nothing until its last millisecond', async () => {
    const { clock, readsIn } = watchedClock()
    const timer = clock.after(60_000.5, () => undefined, true)
    expect(await readsIn(100)).toBe(0)
    timer.cancel()
  })

  it('keeps the loop awake no longer once it is cancelled', async () => {
    const { clock, readsIn } = watchedClock()
    const timer = clock.after(0.5, () => undefined, true)
    await readsIn(10)
    timer.cancel()
    await readsIn(2)
    expect(await readsIn(100)).toBe(0)
  })

  it('does not keep the loop awake for other timers', async () => {
    const { clock, readsIn } = watchedClock()
    const timer = clock.after(60_000.5, () => undefined)
    const awake = clock.after(70_000, () => undefined, true)
    expect(await readsIn(100)).toBe(0)
    timer.cancel()
    awake.cancel()
  })

  it('fires on time while a later one without awake waits, and that one fires after it', async () => {
    const clock = new SystemClock()
    const fired: string[] = []
    await new Promise<void>((resolve) => {
      clock.after(3, () => {
        fired.push('slept for')
        resolve()
      })
      clock.after(1.2, () => fired.push('awake'), true)
    })
    expect(fired).toEqual(['awake', 'slept for'])
  })
})
