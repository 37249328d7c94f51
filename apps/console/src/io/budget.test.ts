import { describe, expect, it } from 'vitest'
import { budgetOf } from './budget.ts'

const rails = (rail3v3: number, rail5v0: number, rail12v: number) => ({ '3v3': rail3v3, '5v0': rail5v0, '12v': rail12v })
/** The supply and modules of the virtual device; modules/io/power-budget.http.test.ts has the same figures. */
const source = {
  source_3v3: 17_671,
  source_5v0: 22_275,
  source_12v: 28_750,
  source_total: 28_750,
  efficiency_factor_3v3: 90,
  efficiency_factor_5v0: 90,
  efficiency_factor_12v: 100,
}
const others = [rails(650, 1350, 200), rails(300, 10_200, 0)]

describe('budgetOf', () => {
  it('has what is left on each rail, and of all with losses', () => {
    const budget = budgetOf(source, others, rails(300, 2700, 0))
    expect(budget.map(({ rail, others: granted, asked, left }) => [rail, granted, asked, left])).toEqual([
      ['3v3', 950, 300, 16_421],
      ['5v0', 11_550, 2700, 8025],
      ['12v', 200, 0, 28_550],
      // (1250 + 14250) × 1.1 + 200 = 17250
      ['total', 13_950, 3300, 11_500],
    ])
  })

  it.each([
    ['a rail', [rails(650, 1350, 200), rails(300, 0, 0)], rails(300, 2400, 36_000), '12v', -7450],
    ['the total alone', others, rails(300, 2400, 21_600), 'total', -9770],
  ])('is below zero by what is missing on %s', (_, granted, asked, rail, left) => {
    expect(budgetOf(source, granted, asked).find((part) => part.rail === rail)?.left).toBe(left)
  })
})
