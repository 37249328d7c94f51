import { commonPeriod, type Source } from '../branch.ts'

/** Samples for a mean over several different periods: an error of about one percent. */
const MEAN_SAMPLES = 256
/** Samples per interval if a wave moves the quantity, and if only a coil or a motor does, nearly in a straight line. */
const SAMPLES_OF_A_WAVE = 16
const SAMPLES_OF_A_RIPPLE = 4
/** Steps of this share of the longest period are spread evenly over it and over other periods. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9

/** A quantity to average. */
export interface Quantity {
  readonly at: (ms: number) => number
  /** Whether it is constant between two turns of the sources. */
  readonly isFlat: boolean
}

/** Mean over the common period of these sources, from `fromMs` on; without a common period, sampled over many of the longest. */
export function meanOf(sources: readonly Source[], fromMs: number, quantity: Quantity): number {
  const periodMs = commonPeriod(sources)
  if (periodMs === 0) return quantity.at(fromMs)
  if (periodMs < Number.POSITIVE_INFINITY) return walkedMean(sources, fromMs, periodMs, quantity)
  const stepMs = GOLDEN_RATIO * Math.max(...sources.map((source) => source.periodMs))
  let sum = 0
  for (let sample = 1; sample <= MEAN_SAMPLES; sample++) sum += quantity.at(fromMs + sample * stepMs)
  return sum / MEAN_SAMPLES
}

/** Integrates from turn to turn; exact if the quantity is constant or linear between them. */
function walkedMean(sources: readonly Source[], fromMs: number, periodMs: number, quantity: Quantity): number {
  const untilMs = fromMs + periodMs
  const samples = sources.every((source) => source.isStepped) ? SAMPLES_OF_A_RIPPLE : SAMPLES_OF_A_WAVE
  let sum = 0
  let atMs = fromMs
  while (atMs < untilMs) {
    const next = Math.min(untilMs, ...sources.map((source) => source.turnAfter(atMs)))
    sum += (next - atMs) * (quantity.isFlat ? quantity.at(atMs) : sampled(quantity, atMs, next, samples))
    atMs = next
  }
  return sum / (untilMs - fromMs)
}

function sampled(quantity: Quantity, fromMs: number, toMs: number, samples: number): number {
  let sum = 0
  for (let sample = 0; sample < samples; sample++) sum += quantity.at(fromMs + ((sample + 0.5) / samples) * (toMs - fromMs))
  return sum / samples
}
