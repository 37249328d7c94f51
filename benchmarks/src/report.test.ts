import { expect, it } from 'vitest'
import { formatTable } from './report.ts'
import type { Row, Target } from './row.ts'

const fast: Target = { of: 'speed', at: 'least', gate: 0.8, goal: 0.9, unit: '×' }
const small: Target = { of: 'size', at: 'most', gate: 45, unit: 'MB', against: 'none' }
const row: Row = { name: 'a', what: 'ours', against: 'bare', targets: [fast, small], measure: () => Promise.resolve([]) }
const reading = (...figures: readonly number[]) => ({ measured: 'one', comparison: 'two', figures })

it('formatTable writes the median and the range of each target, and whether gate and goal are reached', () => {
  const lines = (...speeds: readonly number[]) => formatTable([{ row, readings: [reading(...speeds), reading(45)] }]).split('\n')
  expect(lines(0.8, 0.851, 0.9)).toEqual([
    '| what        | measured | against   | result             | target                     |            |',
    '|-------------|----------|-----------|--------------------|----------------------------|------------|',
    '| ours: speed | one      | bare: two | 0.85 × (0.80…0.90) | at least 0.80 ×, goal 0.90 | gate holds |',
    '| ours: size  | one      | none: two | 45.0 MB            | at most 45.0 MB            | reached    |',
  ])
  expect([0.79, 0.8, 0.9].map((speed) => lines(speed)[2]?.split(' | ')[5])).toEqual(['**missed** |', 'gate holds |', 'reached |'])
  expect(() => formatTable([{ row, readings: [reading(1)] }])).toThrow('a has no reading of size')
})
