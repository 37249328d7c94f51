import { RAILS, type Rail, type RailPower } from './power-budget.ts'

/** What the supply can provide: milliwatt per rail and in total, and each rail's efficiency in percent (0…100). */
export type PowerSupply = Readonly<Record<`source_${Rail | 'total'}` | `efficiency_factor_${Rail}`, number>>

/** Calls `of` for each rail. */
export function perRail(of: (rail: Rail) => number): RailPower {
  return { power3v3: of('3v3'), power5v0: of('5v0'), power12v: of('12v') }
}

export const NO_POWER = perRail(() => 0)

/**
 * Milliwatt missing on each rail for `sum`, rounded up; 0 where it fits. If only the total is exceeded, the shortage is on the rail that
 * the request `adds` most to (wire-protocol.md section 4, behaviour.md "io").
 */
export function shortageOf(sum: RailPower, supply: PowerSupply, adds: RailPower): RailPower {
  const missing = perRail((rail) => shortBy(sum[`power${rail}`], supply[`source_${rail}`]))
  if (isShort(missing)) return missing
  return { ...missing, [largestOf(adds)]: shortBy(consumptionHundredths(sum, supply) / 100, supply.source_total) }
}

export function isShort(missing: RailPower): boolean {
  return RAILS.some((rail) => missing[`power${rail}`] > 0)
}

/** Consumption with dissipation, P × (2 − efficiency), in hundredths of a milliwatt: whole percents give whole numbers. */
function consumptionHundredths(sum: RailPower, supply: PowerSupply): number {
  return RAILS.reduce((total, rail) => total + sum[`power${rail}`] * (200 - supply[`efficiency_factor_${rail}`]), 0)
}

function shortBy(need: number, available: number): number {
  return Math.max(0, Math.ceil(need - available))
}

function largestOf(power: RailPower): keyof RailPower {
  if (power.power12v >= power.power5v0 && power.power12v >= power.power3v3) return 'power12v'
  return power.power5v0 >= power.power3v3 ? 'power5v0' : 'power3v3'
}
