import type { Alternation } from './branch.ts'
import { edgeAfter } from './branch.ts'

/** Samples for a mean over several different periods: an error of about one percent. */
const MEAN_SAMPLES = 256
/** Steps of the golden ratio fall evenly into every period, whatever its length. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9

/** Mean of `quantity` over the common period of these sources, from `fromMs` on; sampled over the longest where they differ. */
export function meanOf(sources: readonly Alternation[], fromMs: number, quantity: (atMs: number) => number): number {
  const [first, ...others] = sources
  if (first === undefined) return quantity(fromMs)
  if (others.every((source) => source.periodMs === first.periodMs)) return exactMean(sources, fromMs, first.periodMs, quantity)
  const longest = Math.max(...sources.map((source) => source.periodMs))
  let sum = 0
  for (let sample = 1; sample <= MEAN_SAMPLES; sample++) sum += quantity(fromMs + ((sample * GOLDEN_RATIO) % 1) * longest)
  return sum / MEAN_SAMPLES
}

function exactMean(
  sources: readonly Alternation[],
  fromMs: number,
  periodMs: number,
  quantity: (atMs: number) => number,
): number {
  const untilMs = fromMs + periodMs
  let sum = 0
  let atMs = fromMs
  while (atMs < untilMs) {
    const next = Math.min(untilMs, ...sources.map((source) => edgeAfter(source, atMs)))
    sum += quantity(atMs) * (next - atMs)
    atMs = next
  }
  return sum / (untilMs - fromMs)
}
