import type { ReplyTo } from '../store/device-types.ts'

/** The rails of the supply, as the fields of its answers end. */
export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]
type Stats = ReplyTo<'power', 'getStats'>

/** Rails whose present current exceeds the limits that the user is about to set. */
export function railsAbove(
  stats: Stats | undefined,
  limits: Readonly<Record<`limit_${Rail}`, number | undefined>>,
): readonly Rail[] {
  return RAILS.filter((rail) => stats !== undefined && stats[`current_${rail}`] > (limits[`limit_${rail}`] ?? 0))
}

/** Power of a rail in milliwatt. */
export function railPower(stats: Stats, rail: Rail): number {
  return (stats[`voltage_${rail}`] * stats[`current_${rail}`]) / 1000
}

/** Share of its limit that a rail draws, in percent. */
export function railLoad(stats: Stats, rail: Rail): number {
  const limit = stats[`limit_${rail}`]
  return limit === 0 ? 0 : Math.round((100 * stats[`current_${rail}`]) / limit)
}
