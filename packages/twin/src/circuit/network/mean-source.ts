import type { Leg, Source } from '../branch.ts'
import { meanOf } from '../node/mean.ts'

/** A leg with the mean voltage and the mean resistance of a fast source. */
export function meanSource(source: Source, fromMs: number): Leg {
  const mean = (of: (leg: Leg) => number): number =>
    meanOf([source], fromMs, {
      at: (ms) => of(source.legAt(ms)),
      with: (legOf) => of(legOf(source)),
      isFlat: source.isStepped,
    })
  return { volts: mean((leg) => leg.volts), ohms: mean((leg) => leg.ohms) }
}
