import type { Source } from '../branch.ts'
import { commonPeriod } from '../branch.ts'

/** Samples for a mean over several different periods: an error of about one percent. */
const MEAN_SAMPLES = 256
/** Samples on a stretch on which a quantity moves with a wave, and on one on which only a coil or a motor moves it, nearly straight. */
const SAMPLES_OF_A_WAVE = 16
const SAMPLES_OF_A_RIPPLE = 4
/** Steps of this part of the longest period fall evenly into it, and into other periods as well as any. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9

/** What a mean is taken of. */
export interface Quantity {
  readonly at: (ms: number) => number
  /** Whether it stays as it is between two turns of the sources. */
  readonly isFlat: boolean
}

/** Mean over the common period of these sources, from `fromMs` on; sampled over many of the longest where they have none. */
export function meanOf(sources: readonly Source[], fromMs: number, quantity: Quantity): number {
  const periodMs = commonPeriod(sources)
  if (periodMs === 0) return quantity.at(fromMs)
  if (periodMs < Number.POSITIVE_INFINITY) return walkedMean(sources, fromMs, periodMs, quantity)
  const stepMs = GOLDEN_RATIO * Math.max(...sources.map((source) => source.periodMs))
  let sum = 0
  for (let sample = 1; sample <= MEAN_SAMPLES; sample++) sum += quantity.at(fromMs + sample * stepMs)
  return sum / MEAN_SAMPLES
}

/** Turn by turn; exact for what is flat or straight in between. */
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
