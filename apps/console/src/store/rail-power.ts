import { RAILS, type Rail } from '@slotwire/core'
import type { Descriptor, ReplyTo } from './device-types.ts'

/** Milliwatt for each rail. */
export type RailPower = Readonly<Record<Rail, number>>

/** Parts of the power of a rail, or of all together with what is lost in the supply, in milliwatt. */
export type BudgetRow<Part extends string> = Readonly<Record<Part | 'available', number>> & { readonly rail: Rail | 'total' }

const PERCENT = 100

/** Power that depends on the rail. */
export function eachRail(powerOf: (rail: Rail) => number): RailPower {
  return { '3v3': powerOf('3v3'), '5v0': powerOf('5v0'), '12v': powerOf('12v') }
}

/** What modules are granted together, as their descriptors say. */
export function grantedTo(descriptors: readonly (Descriptor | undefined)[]): RailPower {
  return eachRail((rail) => descriptors.reduce((sum, descriptor) => sum + (descriptor?.[`max_power_${rail}`] ?? 0), 0))
}

/**
 * What each rail gives, and parts of it. The supply loses power on the way, so the total counts P × (2 − efficiency) of each rail, as the device
 * does when it grants power; docs/reference/wire-protocol.md, section 4.
 */
export function budgetOf<Part extends string>(
  source: ReplyTo<'power', 'getSource'>,
  parts: Readonly<Record<Part, RailPower>>,
): readonly BudgetRow<Part>[] {
  const row = (rail: Rail | 'total', available: number, sumOf: (power: RailPower) => number) => {
    const sums = Object.entries<RailPower>(parts).map(([part, power]) => [part, sumOf(power)])
    return { rail, available, ...Object.fromEntries(sums) } as BudgetRow<Part>
  }
  const withLosses = (power: RailPower): number =>
    RAILS.reduce((sum, rail) => sum + power[rail] * (2 * PERCENT - source[`efficiency_factor_${rail}`]), 0) / PERCENT
  return [
    ...RAILS.map((rail) => row(rail, source[`source_${rail}`], (power) => power[rail])),
    row('total', source.source_total, withLosses),
  ]
}
