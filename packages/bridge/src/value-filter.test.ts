import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import type { Metric, MetricData } from './metric.ts'
import { type FilterOptions, ValueFilter } from './value-filter.ts'

const metric: Metric = { path: 'io/3/pin/1/volts', service: 'io', slot: 3, name: 'x', help: '', type: 'number', isCounter: false }

function filter(options: Partial<FilterOptions>) {
  const clock = new ManualClock()
  const sent: MetricData[] = []
  const made = new ValueFilter({ deadBand: 0, pauseMs: 0, ...options }, clock, (changes) =>
    sent.push(...changes.map(({ value }) => value)),
  )
  return { clock, sent, add: (value: MetricData) => made.add([{ metric, value }]), made }
}

describe('ValueFilter', () => {
  it.each([
    ['each change, without a dead band', 0, [1, 1, 1.001, 1], [1, 1.001, 1]],
    ['changes of the dead band or more, from the last sent value', 0.1, [1, 1.05, 1.09, 1.1, 1.19, 1.3], [1, 1.1, 1.3]],
    ['zero, and what follows it', 0.5, [0, 0.1, 0], [0, 0.1, 0]],
    ['that a value is gone, and back', 0.5, [1, undefined, 1.1], [1, undefined, 1.1]],
    ['words and truth values as they are', 0.9, ['a', 'b', true, false], ['a', 'b', true, false]],
  ])('sends %s', (_, deadBand, values, expected) => {
    const { sent, add } = filter({ deadBand })
    for (const value of values as MetricData[]) add(value)
    expect(sent).toEqual(expected)
  })

  it('holds changes back that come too soon, and sends the last of them', async () => {
    const { clock, sent, add } = filter({ pauseMs: 1000 })
    for (const value of [1, 2, 3]) add(value)
    expect(sent).toEqual([1])
    await clock.advance(1000)
    expect(sent).toEqual([1, 3])
    add(4)
    add(3)
    await clock.advance(5000)
    expect(sent).toEqual([1, 3])
    expect(clock.pending).toBe(0)
  })
})
