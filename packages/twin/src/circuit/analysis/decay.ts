import { identity, type Matrix, product, transposed } from './matrix.ts'
import { MatrixExponential } from './matrix-exponential.ts'

/** After this many time constants a state has decayed below anything measurable: to 2 × 10⁻⁹. */
export const FADED_TIME_CONSTANTS = 20

/** Tolerance for rounding at the end of that time, in time constants. */
const ROUNDING = 1e-3

/** How the natural response of a passive circuit decays. */
export interface Decay {
  /** Farad or henry of each state: the stored energy is half the sum of weight × square, in joule. */
  readonly weights: readonly number[]
  /** Lower bound of the decay rate. */
  readonly fadesPerMs: number
}

/** Whether the initial state has decayed below anything measurable after t ms. */
export function hasFaded({ fadesPerMs }: Decay, t: number): boolean {
  return t > 0 && t * fadesPerMs >= FADED_TIME_CONSTANTS - ROUNDING
}

/** Doublings of the time in which a state is looked for that has decayed: from the fastest to the slowest circuit. */
const MAX_DOUBLINGS = 80
/** A decay slower than this is taken for it: 317 years. */
const SLOWEST_PER_MS = 1e-13

/**
 * Lower bound of the decay rate of a passive circuit: in 1 / rate its energy falls to 1/e² or less. It may be up to a few times too low.
 * The state is measured by its energy, half the sum of weight × square, which never grows.
 */
export function decayPerMs(rates: Matrix, weights: readonly number[]): number {
  const roots = weights.map(Math.sqrt)
  const weighed = rates.map((row, index) => row.map((rate, column) => (rate * (roots[index] ?? 1)) / (roots[column] ?? 1)))
  const largest = Math.max(...weighed.map((row) => row.reduce((sum, rate) => sum + Math.abs(rate), 0)))
  let t = 1 / largest
  const exponential = new MatrixExponential(weighed)
  let effect = transposed(identity(weighed.length).map((unit) => exponential.after(t, unit)))
  for (let doublings = 0; doublings < MAX_DOUBLINGS; doublings++) {
    const norm = Math.sqrt(effect.flat().reduce((sum, value) => sum + value * value, 0))
    if (norm < 1 / Math.E) return Math.max(1 / t, SLOWEST_PER_MS)
    effect = product(effect, effect)
    t *= 2
  }
  return SLOWEST_PER_MS
}
