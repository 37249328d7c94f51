import type { Descriptor, ReplyTo } from '../store/device-types.ts'

export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]
/** Milliwatt for each rail. */
export type RailPower = Readonly<Record<Rail, number>>

/** One rail, or all together with what is lost in the supply, in milliwatt. */
export interface BudgetPart {
  readonly rail: Rail | 'total'
  readonly available: number
  /** Granted to the other modules. */
  readonly others: number
  /** What this module would have. */
  readonly asked: number
  /** What is left then; below zero it is missing. */
  readonly left: number
}

/** What a module is granted, as its descriptor says. */
export function grantOf(descriptor: Pick<Descriptor, `max_power_${Rail}`>): RailPower {
  return { '3v3': descriptor.max_power_3v3, '5v0': descriptor.max_power_5v0, '12v': descriptor.max_power_12v }
}

/** The power budget of the device with another configuration of one module. The device decides; this is shown before. */
export function budgetOf(
  source: ReplyTo<'power', 'getSource'>,
  others: readonly RailPower[],
  asked: RailPower,
): readonly BudgetPart[] {
  const granted = Object.fromEntries(
    RAILS.map((rail) => [rail, others.reduce((sum, power) => sum + power[rail], 0)]),
  ) as RailPower
  const part = (rail: BudgetPart['rail'], available: number, of: (power: RailPower) => number): BudgetPart => {
    const [other, then] = [of(granted), of(asked)]
    return { rail, available, others: other, asked: then, left: Math.floor(available - other - then) }
  }
  // Consumption with dissipation: P × (2 − efficiency).
  const consumption = (power: RailPower): number =>
    RAILS.reduce((sum, rail) => sum + power[rail] * (200 - source[`efficiency_factor_${rail}`]), 0) / 100
  return [
    ...RAILS.map((rail) => part(rail, source[`source_${rail}`], (power) => power[rail])),
    part('total', source.source_total, consumption),
  ]
}
