import type { Matrix } from '../memory/matrix.ts'
import { product } from '../memory/matrix.ts'
import { Propagator } from '../memory/propagator.ts'

/** Doublings of the time in which a state is looked for that has decayed: from the fastest to the slowest circuit. */
const MOST_DOUBLINGS = 80
/** A decay slower than this is taken for it: 317 years. */
const SLOWEST_PER_MS = 1e-13

/**
 * Lower bound of the decay rate of a passive circuit: its energy falls by 1/e² or more in 1 / rate. It may be up to a few times too low.
 * The state is measured by its energy, half the sum of weight × square, which never grows.
 */
export function decayPerMs(rates: Matrix, weights: readonly number[]): number {
  const roots = weights.map(Math.sqrt)
  const weighed = rates.map((row, index) => row.map((rate, column) => (rate * (roots[index] ?? 1)) / (roots[column] ?? 1)))
  const largest = Math.max(...weighed.map((row) => row.reduce((sum, rate) => sum + Math.abs(rate), 0)))
  let t = 1 / largest
  const propagator = new Propagator(weighed)
  const columns = weighed.map((_, index) =>
    propagator.after(
      t,
      weighed.map((_row, row) => Number(row === index)),
    ),
  )
  let effect: Matrix = weighed.map((_, row) => columns.map((column) => column[row] ?? 0))
  for (let doublings = 0; doublings < MOST_DOUBLINGS; doublings++) {
    const norm = Math.sqrt(effect.flat().reduce((sum, value) => sum + value * value, 0))
    if (norm < 1 / Math.E) return Math.max(1 / t, SLOWEST_PER_MS)
    effect = product(effect, effect)
    t *= 2
  }
  return SLOWEST_PER_MS
}
