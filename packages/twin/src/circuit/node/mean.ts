import { commonPeriod, type Leg, type Source } from '../branch.ts'
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

/** Limit of leg combinations for a mean over sources without a common period; further sources count by their mean leg. */
const MAX_COMBINATIONS = 256
/** Parts of a half period in which a wave is sampled, and of an interval in which only a coil or a motor moves the quantity. */
const PARTS_OF_A_WAVE = 8
const PARTS_OF_A_RIPPLE = 2
/** Two samples at these shares of a part integrate a cubic exactly (Gauss). */
const GAUSS_SHARES = [0.5 - 0.5 / Math.sqrt(3), 0.5 + 0.5 / Math.sqrt(3)]
/** Noise joins random voltages by lines: its spread is this share of the spread of uniform ones. */
const NOISE_SPREAD = Math.sqrt(2 / 3)

export type LegOf = (source: Source) => Leg

/** A quantity to average. */
interface Quantity {
  /** Its value at a moment. */
  readonly at: (ms: number) => number
  /** Its value while the sources show these legs. */
  readonly with: (legOf: LegOf) => number
  /** Whether it is constant between two turns of the sources. */
  readonly isFlat: boolean
}

/**
 * Mean over the common period of these sources, from `fromMs` on. Without one their phases are independent: the mean over all combinations
 * of their legs, by how long each shows them. That is exact for a quantity that is linear in their voltages.
 */
export function meanOf(sources: readonly Source[], fromMs: number, quantity: Quantity): number {
  const periodMs = commonPeriod(sources)
  if (periodMs === 0) return quantity.at(fromMs)
  return periodMs < Number.POSITIVE_INFINITY
    ? walkedMean(sources, fromMs, periodMs, quantity)
    : combinedMean(sources, fromMs, quantity.with)
}

/** Integrates from turn to turn; exact if the quantity is constant or linear between them. */
function walkedMean(sources: readonly Source[], fromMs: number, periodMs: number, quantity: Quantity): number {
  const untilMs = fromMs + periodMs
  const parts = sources.every((source) => source.isStepped) ? PARTS_OF_A_RIPPLE : PARTS_OF_A_WAVE
  let sum = 0
  let atMs = fromMs
  while (atMs < untilMs) {
    const next = Math.min(untilMs, ...sources.map((source) => source.turnAfter(atMs)))
    const moments = quantity.isFlat ? [atMs] : gaussMoments(atMs, next, parts)
    sum += ((next - atMs) * moments.reduce((total, ms) => total + quantity.at(ms), 0)) / moments.length
    atMs = next
  }
  return sum / (untilMs - fromMs)
}

function gaussMoments(fromMs: number, toMs: number, parts: number): number[] {
  const partMs = (toMs - fromMs) / parts
  return Array.from({ length: parts }, (_, part) => part).flatMap((part) =>
    GAUSS_SHARES.map((share) => fromMs + (part + share) * partMs),
  )
}

/** A leg, and for which share of the time a source shows it. */
interface Shown {
  readonly leg: Leg
  readonly share: number
}

function combinedMean(sources: readonly Source[], fromMs: number, quantity: (legOf: LegOf) => number): number {
  let parts = PARTS_OF_A_WAVE
  let shown = sources.map((source) => shownBy(source, fromMs, parts))
  while (parts > 1 && countOf(shown) > MAX_COMBINATIONS) {
    parts /= 2
    shown = sources.map((source) => shownBy(source, fromMs, parts))
  }
  for (let last = shown.length - 1; countOf(shown) > MAX_COMBINATIONS; last--) shown[last] = [meanLeg(shown[last] ?? [])]
  const legs = new Map<Source, Leg>()
  const legOf: LegOf = (source) => legs.get(source) ?? source.legAt(fromMs)
  const sumFrom = (index: number): number => {
    const source = sources[index]
    if (source === undefined) return quantity(legOf)
    let sum = 0
    for (const { leg, share } of shown[index] ?? []) {
      legs.set(source, leg)
      sum += share * sumFrom(index + 1)
    }
    return sum
  }
  return sumFrom(0)
}

function countOf(shown: readonly (readonly Shown[])[]): number {
  return shown.reduce((product, each) => product * each.length, 1)
}

/** The legs of a source in one period; of noise, the distribution of its voltage. */
function shownBy(source: Source, fromMs: number, parts: number): readonly Shown[] {
  const [low, high] = source.extremes
  if (!source.repeats && low !== undefined && high !== undefined) {
    return gaussMoments(-1, 1, parts).map((place) => {
      const volts = (low.volts + high.volts + place * NOISE_SPREAD * (high.volts - low.volts)) / 2
      return { leg: { volts, ohms: low.ohms }, share: 1 / (GAUSS_SHARES.length * parts) }
    })
  }
  const shown: Shown[] = []
  const startMs = source.turnAfter(fromMs)
  const endMs = source.turnUpTo(startMs + source.periodMs + source.periodMs * 1e-6)
  for (let atMs = startMs; atMs < endMs; ) {
    const next = Math.min(endMs, source.turnAfter(atMs))
    const moments = source.isStepped ? [(atMs + next) / 2] : gaussMoments(atMs, next, parts)
    const share = (next - atMs) / (endMs - startMs) / moments.length
    shown.push(...moments.map((ms) => ({ leg: source.legAt(ms), share })))
    atMs = next
  }
  return shown
}

/** One leg with the mean conductance and the mean short-circuit current. */
function meanLeg(shown: readonly Shown[]): Shown {
  const siemens = shown.reduce((sum, { leg, share }) => sum + share / leg.ohms, 0)
  const amps = shown.reduce((sum, { leg, share }) => sum + (share * leg.volts) / leg.ohms, 0)
  return { leg: { volts: amps / siemens, ohms: 1 / siemens }, share: 1 }
}
