import { expect, it } from 'vitest'
import { budgetOf, grantedTo } from './rail-power.ts'

const rails = (rail3v3: number, rail5v0: number, rail12v: number) => ({ '3v3': rail3v3, '5v0': rail5v0, '12v': rail12v })
const descriptor = (max_power_3v3: number, max_power_5v0: number, max_power_12v: number) =>
  ({ max_power_3v3, max_power_5v0, max_power_12v }) as never
/** The supply and modules of the virtual device; modules/io/power-budget.http.test.ts has the same figures. */
const SOURCE = {
  ...{ source_3v3: 17_671, source_5v0: 22_275, source_12v: 28_750, source_total: 28_750 },
  ...{ efficiency_factor_3v3: 90, efficiency_factor_5v0: 90, efficiency_factor_12v: 100 },
}

it('a rail has what its modules are granted; the total counts the loss of the supply', () => {
  const others = grantedTo([descriptor(650, 1350, 200), undefined, descriptor(300, 10_200, 0)])
  expect(budgetOf(SOURCE, { others, own: rails(300, 2700, 0) })).toEqual([
    { rail: '3v3', available: 17_671, others: 950, own: 300 },
    { rail: '5v0', available: 22_275, others: 11_550, own: 2700 },
    { rail: '12v', available: 28_750, others: 200, own: 0 },
    // 12,500 × 1.1 + 200 and 3000 × 1.1
    { rail: 'total', available: 28_750, others: 13_950, own: 3300 },
  ])
})
