import type { Descriptor, ReplyTo } from '../store/device-types.ts'
import { RAILS, type Rail } from '../store/health.ts'

/** Power of a rail, or of all together, in milliwatt. */
export interface RailPower {
  readonly rail: Rail | 'total'
  readonly drawn: number
  /** Promised to modules. */
  readonly granted: number
  readonly available: number
  readonly left: number
}

const MILLI = 1000
const PERCENT = 100

/**
 * What each rail gives. The supply loses power on the way, so the total counts P × (2 − efficiency) of each rail, as the device does when it
 * grants power; docs/reference/wire-protocol.md, section 4.
 */
export function railPowers(
  stats: ReplyTo<'power', 'getStats'>,
  source: ReplyTo<'power', 'getSource'>,
  descriptors: readonly (Descriptor | undefined)[],
): readonly RailPower[] {
  const rails = RAILS.map((rail) => {
    const drawn = Math.round((stats[`voltage_${rail}`] * stats[`current_${rail}`]) / MILLI)
    const granted = descriptors.reduce((sum, descriptor) => sum + (descriptor?.[`max_power_${rail}`] ?? 0), 0)
    const available = source[`source_${rail}`]
    return { rail, drawn, granted, available, left: available - granted }
  })
  const total = (of: 'drawn' | 'granted'): number =>
    Math.round(rails.reduce((sum, each) => sum + each[of] * (2 - source[`efficiency_factor_${each.rail}`] / PERCENT), 0))
  const [drawn, granted] = [total('drawn'), total('granted')]
  return [...rails, { rail: 'total', drawn, granted, available: source.source_total, left: source.source_total - granted }]
}
