import type { Source, Thevenin, TheveninOf } from '../branch.ts'

/** Parts of a half period in which a wave is sampled, and of an interval in which only a coil or a motor moves the quantity. */
const PARTS_OF_A_WAVE = 8
const PARTS_OF_A_RIPPLE = 2
/** Two samples at these shares of a part integrate a cubic exactly (Gauss). */
const GAUSS_SHARES = [0.5 - 0.5 / Math.sqrt(3), 0.5 + 0.5 / Math.sqrt(3)]
/** Combinations of phases for a mean over sources without a common period. */
const COMBINATIONS = 256

/** The mean of a quantity over a period, from turn to turn of these sources; exact if it is constant (`isFlat`) or linear between them. */
export function meanOfPeriod(
  sources: readonly Source[],
  { fromMs, periodMs, isFlat }: { readonly fromMs: number; readonly periodMs: number; readonly isFlat: boolean },
  quantityAt: (ms: number) => number,
): number {
  const untilMs = fromMs + periodMs
  const parts = sources.every((source) => source.isStepped) ? PARTS_OF_A_RIPPLE : PARTS_OF_A_WAVE
  let sum = 0
  let atMs = fromMs
  while (atMs < untilMs) {
    const next = Math.min(untilMs, ...sources.map((source) => source.turnAfter(atMs)))
    const moments = isFlat ? [atMs] : gaussMoments(atMs, next, parts)
    sum += ((next - atMs) * moments.reduce((total, ms) => total + quantityAt(ms), 0)) / moments.length
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

/**
 * The mean of a quantity over sources without a common period, whose phases are independent: over combinations of phases that fill the
 * space of all of them evenly (Kronecker), each in another period of each source. What is linear in their voltages counts by their exact means.
 */
export function meanOfPhases(sources: readonly Source[], fromMs: number, valueOf: (shownBy: TheveninOf) => number): number {
  const controls = sources.map((source, index) => {
    const [low = source.mean, high = low] = source.extremes
    const valueWith = (own: Thevenin): number => valueOf((each) => (each === source ? own : each.mean))
    const gain = high.volts === low.volts ? 0 : (valueWith(high) - valueWith(low)) / (high.volts - low.volts)
    return { source, gain, volts: source.mean.volts, stepMs: (1 + stepOf(index + 1, sources.length)) * source.periodMs }
  })
  let sum = 0
  for (let number = 0; number < COMBINATIONS; number++) {
    const shown = new Map<Source, Thevenin>()
    for (const { source, gain, volts, stepMs } of controls) {
      const equivalent = source.theveninAt(fromMs + (number + 1 / 2) * stepMs)
      shown.set(source, equivalent)
      sum -= gain * (equivalent.volts - volts)
    }
    sum += valueOf((source) => shown.get(source) ?? source.mean)
  }
  return sum / COMBINATIONS
}

/** The powers of 1 / g are steps with that property, where g^(count + 1) = g + 1. */
function stepOf(power: number, count: number): number {
  let g = 2
  for (let times = 0; times < 64; times++) g = (1 + g) ** (1 / (count + 1))
  return g ** -power
}
