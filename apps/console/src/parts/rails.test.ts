import { expect, it } from 'vitest'
import { railPowers } from './rails.ts'

const STATS = {
  ...{ voltage_3v3: 3300, voltage_5v0: 5000, voltage_12v: 12_000 },
  ...{ current_3v3: 300, current_5v0: 200, current_12v: 100 },
  ...{ limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 },
}
const SOURCE = {
  ...{ source_3v3: 17_671, source_5v0: 22_275, source_12v: 28_750, source_total: 28_750 },
  ...{ efficiency_factor_3v3: 90, efficiency_factor_5v0: 90, efficiency_factor_12v: 100 },
}
const descriptor = (max_power_3v3: number, max_power_5v0: number, max_power_12v: number) =>
  ({ max_power_3v3, max_power_5v0, max_power_12v }) as never

it('a rail has what the supply can give, less what is granted; the total counts the loss of the supply', () => {
  const powers = railPowers(STATS, SOURCE, [descriptor(400, 1200, 50), undefined, descriptor(300, 700, 6000)])
  expect(powers.map(({ rail, drawn, granted, left }) => [rail, drawn, granted, left])).toEqual([
    ['3v3', 990, 700, 16_971],
    ['5v0', 1000, 1900, 20_375],
    ['12v', 1200, 6050, 22_700],
    ['total', 3389, 8910, 19_840],
  ])
})
