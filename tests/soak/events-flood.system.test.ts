import { expect, it } from 'vitest'
import { flood } from './events-flood.testkit.ts'

it.each([
  { readers: 64, perSecond: 100, seconds: 4 },
  { readers: 1, perSecond: 1000, seconds: 4 },
])(
  'gives each of $readers readers every record of $perSecond a second, in order, and keeps no memory',
  { timeout: 40_000 },
  async (of) => {
    const { added, problems, fewest, missing, grownMegabytes } = await flood(of)
    expect({ problems, fewest, missing }).toEqual({ problems: [], fewest: added, missing: 0 })
    expect(Math.abs(grownMegabytes)).toBeLessThan(5)
  },
)

it('gives each of 64 readers every record of 1,000 a second, or a gap that says which', { timeout: 40_000 }, async () => {
  const { added, problems, accounted, grownMegabytes } = await flood({ readers: 64, perSecond: 1000, seconds: 4 })
  expect(problems).toEqual([])
  expect(new Set(accounted)).toEqual(new Set([added]))
  expect(Math.abs(grownMegabytes)).toBeLessThan(5)
})
