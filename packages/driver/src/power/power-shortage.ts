import type { RailPower } from './power-budget.ts'

/** What the supply can provide: milliwatt per rail and in total, and each rail's efficiency in percent (0…100). */
export interface PowerSupply {
  readonly source3v3: number
  readonly source5v0: number
  readonly source12v: number
  readonly sourceTotal: number
  readonly efficiency3v3: number
  readonly efficiency5v0: number
  readonly efficiency12v: number
}

export const NO_POWER: RailPower = { power3v3: 0, power5v0: 0, power12v: 0 }
const RAILS = ['power3v3', 'power5v0', 'power12v'] as const

/** Calls `of` for each rail. */
export function perRail(of: (rail: keyof RailPower) => number): RailPower {
  return { power3v3: of('power3v3'), power5v0: of('power5v0'), power12v: of('power12v') }
}

/**
 * Milliwatt missing on each rail for `sum`, rounded up; 0 where it fits. If only the total is exceeded, the shortage is on the rail that
 * the request `adds` most to (wire-protocol.md section 4, behaviour.md "io").
 */
export function shortageOf(sum: RailPower, supply: PowerSupply, adds: RailPower): RailPower {
  const missing: RailPower = {
    power3v3: shortBy(sum.power3v3, supply.source3v3),
    power5v0: shortBy(sum.power5v0, supply.source5v0),
    power12v: shortBy(sum.power12v, supply.source12v),
  }
  if (isShort(missing)) return missing
  return { ...missing, [largestOf(adds)]: shortBy(consumptionHundredths(sum, supply) / 100, supply.sourceTotal) }
}

export function isShort(missing: RailPower): boolean {
  return RAILS.some((rail) => missing[rail] > 0)
}

/** Consumption with dissipation, P × (2 − efficiency), in hundredths of a milliwatt: whole percents give whole numbers. */
function consumptionHundredths(sum: RailPower, supply: PowerSupply): number {
  return (
    sum.power3v3 * (200 - supply.efficiency3v3) +
    sum.power5v0 * (200 - supply.efficiency5v0) +
    sum.power12v * (200 - supply.efficiency12v)
  )
}

function shortBy(need: number, available: number): number {
  return Math.max(0, Math.ceil(need - available))
}

function largestOf(power: RailPower): keyof RailPower {
  if (power.power12v >= power.power5v0 && power.power12v >= power.power3v3) return 'power12v'
  return power.power5v0 >= power.power3v3 ? 'power5v0' : 'power3v3'
}
