import { commonPeriod, type Source } from '../branch.ts'

/** Parts of a half period in which a wave is sampled, and of an interval in which only a coil or a motor moves the quantity. */
const PARTS_OF_A_WAVE = 8
const PARTS_OF_A_RIPPLE = 2
/** Two samples at these shares of a part integrate a cubic exactly (Gauss). */
const GAUSS_SHARES = [0.5 - 0.5 / Math.sqrt(3), 0.5 + 0.5 / Math.sqrt(3)]
/** Combinations of phases for a mean over sources without a common period. */
const COMBINATIONS = 1024

/** A quantity to average. */
interface Quantity {
  /** Its value at a moment. */
  readonly at: (ms: number) => number
  /** Its value while each source is at its own moment. */
  readonly with: (momentOf: (source: Source) => number) => number
  /** Whether it is constant between two turns of the sources. */
  readonly isFlat: boolean
}

/** Mean over the common period of these sources, from `fromMs` on. Without one their phases are independent: the mean over many combinations. */
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
  return sum / periodMs
}

function gaussMoments(fromMs: number, toMs: number, parts: number): number[] {
  const partMs = (toMs - fromMs) / parts
  return Array.from({ length: parts }, (_, part) => part).flatMap((part) =>
    GAUSS_SHARES.map((share) => fromMs + (part + share) * partMs),
  )
}

/** Combinations of phases that fill the space of all of them evenly (Kronecker), each number of them in another period of each source. */
function combinedMean(sources: readonly Source[], fromMs: number, quantity: Quantity['with']): number {
  const steps = new Map(sources.map((source, index) => [source, 1 + stepOf(index + 1, sources.length)]))
  let sum = 0
  for (let number = 0; number < COMBINATIONS; number++)
    sum += quantity((source) => fromMs + (number + 1 / 2) * (steps.get(source) ?? 0) * source.periodMs)
  return sum / COMBINATIONS
}

/** The powers of 1 / g are steps with that property, where g^(count + 1) = g + 1. */
function stepOf(power: number, count: number): number {
  let g = 2
  for (let times = 0; times < 64; times++) g = (1 + g) ** (1 / (count + 1))
  return g ** -power
}
