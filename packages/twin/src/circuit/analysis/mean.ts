import { commonPeriod, type Source, type Thevenin } from '../branch.ts'
import type { Range } from '../events/zero-crossing.ts'

/** Lowest and highest of some values. */
export function hull(figures: readonly number[]): Range {
  return [Math.min(...figures), Math.max(...figures)]
}

/** Limit of equivalent combinations for a mean over sources without a common period; further sources count by their mean equivalent. */
const MAX_COMBINATIONS = 256
/** Parts of a half period in which a wave is sampled, and of an interval in which only a coil or a motor moves the quantity. */
const PARTS_OF_A_WAVE = 8
const PARTS_OF_A_RIPPLE = 2
/** Two samples at these shares of a part integrate a cubic exactly (Gauss). */
const GAUSS_SHARES = [0.5 - 0.5 / Math.sqrt(3), 0.5 + 0.5 / Math.sqrt(3)]
/** Noise joins random voltages by lines: its spread is this share of the spread of uniform ones. */
const NOISE_SPREAD = Math.sqrt(2 / 3)

export type TheveninOf = (source: Source) => Thevenin

/** A quantity to average. */
interface Quantity {
  /** Its value at a moment. */
  readonly at: (ms: number) => number
  /** Its value while the sources show these equivalents. */
  readonly with: (theveninOf: TheveninOf) => number
  /** Whether it is constant between two turns of the sources. */
  readonly isFlat: boolean
}

/**
 * Mean over the common period of these sources, from `fromMs` on. Without one their phases are independent: the mean over all combinations
 * of their equivalents, by how long each shows them. That is exact for a quantity that is linear in their voltages.
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

/** A equivalent, and for which share of the time a source shows it. */
interface Shown {
  readonly equivalent: Thevenin
  readonly share: number
}

function combinedMean(sources: readonly Source[], fromMs: number, quantity: (theveninOf: TheveninOf) => number): number {
  let parts = PARTS_OF_A_WAVE
  let shown = sources.map((source) => shownBy(source, fromMs, parts))
  while (parts > 1 && countOf(shown) > MAX_COMBINATIONS) {
    parts /= 2
    shown = sources.map((source) => shownBy(source, fromMs, parts))
  }
  for (let last = shown.length - 1; countOf(shown) > MAX_COMBINATIONS; last--) shown[last] = [meanLeg(shown[last] ?? [])]
  const equivalents = new Map<Source, Thevenin>()
  const theveninOf: TheveninOf = (source) => equivalents.get(source) ?? source.theveninAt(fromMs)
  const sumFrom = (index: number): number => {
    const source = sources[index]
    if (source === undefined) return quantity(theveninOf)
    let sum = 0
    for (const { equivalent, share } of shown[index] ?? []) {
      equivalents.set(source, equivalent)
      sum += share * sumFrom(index + 1)
    }
    return sum
  }
  return sumFrom(0)
}

function countOf(shown: readonly (readonly Shown[])[]): number {
  return shown.reduce((product, each) => product * each.length, 1)
}

/** The equivalents of a source in one period; of noise, the distribution of its voltage. */
function shownBy(source: Source, fromMs: number, parts: number): readonly Shown[] {
  const [low, high] = source.extremes
  if (!source.repeats && low !== undefined && high !== undefined) {
    return gaussMoments(-1, 1, parts).map((place) => {
      const volts = (low.volts + high.volts + place * NOISE_SPREAD * (high.volts - low.volts)) / 2
      return { equivalent: { volts, ohms: low.ohms }, share: 1 / (GAUSS_SHARES.length * parts) }
    })
  }
  const shown: Shown[] = []
  const startMs = source.turnAfter(fromMs)
  const endMs = source.turnUpTo(startMs + source.periodMs + source.periodMs * 1e-6)
  for (let atMs = startMs; atMs < endMs; ) {
    const next = Math.min(endMs, source.turnAfter(atMs))
    const moments = source.isStepped ? [(atMs + next) / 2] : gaussMoments(atMs, next, parts)
    const share = (next - atMs) / (endMs - startMs) / moments.length
    shown.push(...moments.map((ms) => ({ equivalent: source.theveninAt(ms), share })))
    atMs = next
  }
  return shown
}

/** One equivalent with the mean conductance and the mean short-circuit current. */
function meanLeg(shown: readonly Shown[]): Shown {
  const siemens = shown.reduce((sum, { equivalent, share }) => sum + share / equivalent.ohms, 0)
  const amps = shown.reduce((sum, { equivalent, share }) => sum + (share * equivalent.volts) / equivalent.ohms, 0)
  return { equivalent: { volts: amps / siemens, ohms: 1 / siemens }, share: 1 }
}

/** A equivalent with the mean voltage and the mean resistance of a source. */
export function meanTheveninOf(source: Source, fromMs: number): Thevenin {
  const mean = (of: (equivalent: Thevenin) => number): number =>
    meanOf([source], fromMs, {
      at: (ms) => of(source.theveninAt(ms)),
      with: (theveninOf) => of(theveninOf(source)),
      isFlat: source.isStepped,
    })
  return { volts: mean(({ volts }) => volts), ohms: mean(({ ohms }) => ohms) }
}
