import { type Matrix, product } from './matrix.ts'
import { MatrixExponential } from './matrix-exponential.ts'
import type { Reactive } from './reactive.ts'

/** After this many time constants a state has decayed below anything measurable: to 2 × 10⁻⁹. */
export const FADED_TIME_CONSTANTS = 20

/** Tolerance for rounding at the end of that time, in time constants. */
const ROUNDING = 1e-3

/** Whether the initial state of the states has decayed below anything measurable after t ms. */
export function isFaded(system: StateSpace, t: number): boolean {
  return t * system.fadesPerMs >= FADED_TIME_CONSTANTS - ROUNDING
}

/** The state equations of all reactive branches before they are joined, concatenated. */
export interface StateSpace {
  readonly stateMatrix: Matrix
  readonly inputVector: readonly number[]
  readonly outputVector: readonly number[]
  readonly weights: readonly number[]
  /** For each component, the voltage of the other end of its port. */
  readonly volts: readonly number[]
  readonly fadesPerMs: number
}

export function stateSpaceOf(ports: readonly Reactive[]): StateSpace {
  const size = ports.reduce((sum, port) => sum + port.inputVector.length, 0)
  let before = 0
  const stateMatrix = ports.flatMap((port) => {
    const offset = before
    before += port.inputVector.length
    return port.stateMatrix.map((row) => padded(row, offset, size))
  })
  return {
    stateMatrix,
    inputVector: ports.flatMap((port) => port.inputVector),
    outputVector: ports.flatMap((port) => port.outputVector),
    weights: ports.flatMap((port) => port.weights),
    volts: ports.flatMap((port) => port.inputVector.map(() => port.volts)),
    fadesPerMs: Math.min(...ports.map((port) => port.fadesPerMs)),
  }
}

function padded(row: readonly number[], before: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => row[index - before] ?? 0)
}

/** Doublings of the time in which a state is looked for that has decayed: from the fastest to the slowest circuit. */
const MAX_DOUBLINGS = 80
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
  const exponential = new MatrixExponential(weighed)
  const columns = weighed.map((_, index) =>
    exponential.after(
      t,
      weighed.map((_row, row) => Number(row === index)),
    ),
  )
  let effect: Matrix = weighed.map((_, row) => columns.map((column) => column[row] ?? 0))
  for (let doublings = 0; doublings < MAX_DOUBLINGS; doublings++) {
    const norm = Math.sqrt(effect.flat().reduce((sum, value) => sum + value * value, 0))
    if (norm < 1 / Math.E) return Math.max(1 / t, SLOWEST_PER_MS)
    effect = product(effect, effect)
    t *= 2
  }
  return SLOWEST_PER_MS
}
