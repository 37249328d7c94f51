import { expect, it } from 'vitest'
import { flood } from './events-flood.testkit.ts'

it.each([
  { readers: 64, perSecond: 100, seconds: 60 },
  { readers: 1, perSecond: 1000, seconds: 60 },
  { readers: 64, perSecond: 1000, seconds: 60 },
])(
  'accounts for every record of $perSecond a second at each of $readers readers for a minute',
  { timeout: 120_000 },
  async (of) => {
    const { added, problems, accounted, missing, grownMegabytes } = await flood(of)
    expect({ problems, accounted: [...new Set(accounted)] }).toEqual({ problems: [], accounted: [added] })
    if (of.readers * of.perSecond < 64_000) expect(missing).toBe(0)
    expect(Math.abs(grownMegabytes)).toBeLessThan(5)
  },
)
