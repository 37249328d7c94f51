import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DURATION_BOUNDS_SECONDS, DurationHistogram } from './slot-statistics.ts'

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
