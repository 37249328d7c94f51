import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Timer, TimerQueue } from './clock.ts'

/** An operation on a queue: start a timer, cancel one that was started, or move the time. */
const act = fc.oneof(
  fc.record({ start: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ cancel: fc.nat({ max: 30 }) }),
  fc.record({ goOn: fc.integer({ min: 0, max: 3 }) }),
)

describe('TimerQueue', () => {
  it('fires by due time, equal ones in order of their start, with any cancels in between', () =>
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const queue = new TimerQueue()
        const timers: Timer[] = []
        const waiting: { due: number; number: number }[] = []
        const fired: number[] = []
        const expected: number[] = []
        let now = 0
        for (const done of acts) {
          if ('start' in done) {
            const number = timers.length
            timers.push(queue.add(now, done.start, () => fired.push(number)))
            waiting.push({ due: now + done.start, number })
          } else if ('cancel' in done) {
            timers[done.cancel]?.cancel()
            const index = waiting.findIndex(({ number }) => number === done.cancel)
            if (index >= 0) waiting.splice(index, 1)
          } else {
            now += done.goOn
            waiting.sort((one, other) => one.due - other.due || one.number - other.number)
            while (waiting[0] !== undefined && waiting[0].due <= now)
              expected.push((waiting.shift() as { number: number }).number)
            while (queue.fireNext(now));
          }
          expect(queue.size).toBe(waiting.length)
          expect(queue.nextDue).toBe(waiting.length === 0 ? undefined : Math.min(...waiting.map(({ due }) => due)))
        }
        expect(fired).toEqual(expected)
      }),
    ))

  it('reports when the last waiting timer is cancelled, not when it fires', () => {
    let emptied = 0
    const queue = new TimerQueue(() => emptied++)
    const [one, other] = [queue.add(0, 1, () => undefined), queue.add(0, 2, () => undefined)]
    other.cancel()
    expect(emptied).toBe(0)
    one.cancel()
    one.cancel()
    expect(emptied).toBe(1)
    queue.add(0, 1, () => undefined)
    expect([queue.fireNext(1), emptied]).toEqual([true, 1])
  })

  it('lets a callback start and cancel timers, including its own', () => {
    const queue = new TimerQueue()
    const fired: string[] = []
    const own = queue.add(0, 1, () => {
      own.cancel()
      late.cancel()
      queue.add(1, 0, () => fired.push('started'))
    })
    const late = queue.add(0, 1, () => fired.push('late'))
    while (queue.fireNext(1));
    expect([fired, queue.size]).toEqual([['started'], 0])
  })

  it('refuses a delay that is not a number', () =>
    expect(() => new TimerQueue().add(0, Number.NaN, () => undefined)).toThrow(RangeError))
})
