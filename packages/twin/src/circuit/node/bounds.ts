import type { Leg } from '../branch.ts'
import type { Range } from '../curve.ts'

/** Up to this many choices the possible voltages are solved one by one; above, they are only bounded. */
export const MAX_COMBINED = 8

/** Conductance of a node, and the current that flows into a short of it. */
export interface Flow {
  readonly siemens: number
  readonly amps: number
}

/** Every sum of `fixed` and one leg of each choice. For many choices, only bounds: the node's voltage is between those of its legs. */
export function combinations(fixed: Flow, choices: readonly (readonly Leg[])[]): readonly Flow[] {
  if (choices.length > MAX_COMBINED) return outermost(fixed, choices.flat())
  return choices.reduce<readonly Flow[]>((flows, legs) => flows.flatMap((flow) => legs.map((leg) => joined(flow, leg))), [fixed])
}

/** Lowest and highest of some values. */
export function hull(figures: readonly number[]): Range {
  return [Math.min(...figures), Math.max(...figures)]
}

export function joined(flow: Flow, leg: Leg): Flow {
  return { siemens: flow.siemens + 1 / leg.ohms, amps: flow.amps + leg.volts / leg.ohms }
}

/** Voltage of a node; 0 if it has no branches. */
export function voltsOf({ siemens, amps }: Flow): number {
  return siemens === 0 ? 0 : amps / siemens
}

function outermost(fixed: Flow, legs: readonly Leg[]): readonly Flow[] {
  const volts = [...(fixed.siemens === 0 ? [] : [voltsOf(fixed)]), ...legs.map((leg) => leg.volts)]
  return hull(volts).map((amps) => ({ siemens: 1, amps }))
}
