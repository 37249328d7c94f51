import { describe, expect, it } from 'vitest'
import { Trace } from './trace.ts'

describe('Trace', () => {
  it('keeps a value until one interval before the next, and until now', () => {
    const trace = new Trace(1)
    trace.push(1000, [5], 100)
    trace.push(3000, [7], 100)
    expect(trace.points(0, 4000)).toEqual({ times: [1, 2.9, 3, 4], series: [[5, 5, 7, 7]] })
  })

  it('has a gap while the values are not known', () => {
    const trace = new Trace(2)
    trace.push(1000, [5, 1], 500)
    trace.interrupt(1400)
    expect(trace.points(0, 2000)).toEqual({
      times: [1, 1.399, 1.4, 2],
      series: [
        [5, 5, null, null],
        [1, 1, null, null],
      ],
    })
  })

  it('shows the lowest and highest values of each second beyond the newest points, and never grows', () => {
    const trace = new Trace(1)
    for (let step = 0; step < 7200 * 20; step++) trace.push(1_000_000 + step * 50, [step % 20], 50)
    const { times, series } = trace.points(0, 1_000_000 + 7200 * 1000)
    expect(times.length).toBeLessThanOrEqual(2 * 3600 + 1)
    expect(series[0]?.slice(10, 14)).toEqual([0, 19, 0, 19])
    const recent = trace.points(1_000_000 + 7_199_000, 1_000_000 + 7_200_000)
    expect(recent.times.length).toBeLessThanOrEqual(23)
  })
})
