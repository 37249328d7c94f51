import { describe, expect, it } from 'vitest'
import type { Goal, Row } from './row.ts'
import { isReached } from './row.ts'
import { formatTable } from './table.ts'

const fast: Goal = { of: 'speed', at: 'least', bound: 0.8, unit: '×' }
const small: Goal = { of: 'size', at: 'most', bound: 45, unit: 'MB' }
const row: Row = { name: 'a', what: 'ours', against: 'bare', goals: [fast, small], measure: () => Promise.resolve([]) }
const reading = (figure: number) => ({ measured: 'one', comparison: 'two', figure })

describe('isReached', () => {
  it('includes the bound', () => {
    expect([0.79, 0.8, 0.81].map((figure) => isReached(fast, reading(figure)))).toEqual([false, true, true])
    expect([44, 45, 45.1].map((figure) => isReached(small, reading(figure)))).toEqual([true, true, false])
  })
})

describe('formatTable', () => {
  it('writes one line per goal, with unit and result', () => {
    expect(formatTable([{ row, readings: [reading(0.851), reading(50)] }])).toBe(
      [
        '| what        | measured | against   | result  | target          |            |',
        '|-------------|----------|-----------|---------|-----------------|------------|',
        '| ours: speed | one      | bare: two | 0.85 ×  | at least 0.80 × | reached    |',
        '| ours: size  | one      | bare: two | 50.0 MB | at most 45.0 MB | **missed** |',
      ].join('\n'),
    )
  })

  it('throws if a goal has no reading', () => {
    expect(() => formatTable([{ row, readings: [reading(1)] }])).toThrow('a has no reading of size')
  })
})
