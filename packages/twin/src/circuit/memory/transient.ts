import type { Curve, Range } from '../curve.ts'
import type { DecayTerm } from '../law.ts'
import { dot, type Matrix, plusScaled, scaled, times } from './matrix.ts'
import type { Propagator } from './propagator.ts'

/** Two time constants with a smaller relative difference count as equal. */
const LEAST_DIFFERENCE = 1e-6

/**
 * `row` · e^(`matrix` × t) × `start`: the decaying part of a passive circuit. The energy of its state never grows, nor does that of its
 * slope, which follows the same law. This bounds both.
 */
export class Transient implements Curve {
  readonly #propagator: Propagator
  readonly #row: readonly number[]
  readonly #start: readonly number[]
  readonly #weights: readonly number[]

  constructor(propagator: Propagator, row: readonly number[], start: readonly number[], weights: readonly number[]) {
    this.#propagator = propagator
    this.#row = row
    this.#start = start
    this.#weights = weights
  }

  at(t: number): number {
    return dot(this.#row, this.#memoryAt(t))
  }

  range(from: number, to: number): Range {
    const memory = this.#memoryAt(from)
    return this.#within(dot(this.#row, memory), this.at(to), times(this.#propagator.matrix, memory), to - from)
  }

  slopes(from: number, to: number): Range {
    const slope = times(this.#propagator.matrix, this.#memoryAt(from))
    const atEnd = dot(this.#row, times(this.#propagator.matrix, this.#memoryAt(to)))
    return this.#within(dot(this.#row, slope), atEnd, times(this.#propagator.matrix, slope), to - from)
  }

  #memoryAt(t: number): readonly number[] {
    return this.#propagator.after(t, this.#start)
  }

  /** A range that contains both values and everything that the steepest slope allows between them. */
  #within(first: number, last: number, slope: readonly number[], length: number): Range {
    const reach = Math.sqrt(dot(slope, this.#weighed(slope)) * dot(this.#row, this.#unweighed(this.#row))) * length
    const middle = (first + last) / 2
    const half = Math.max(Math.abs(last - first), reach) / 2
    return [middle - half, middle + half]
  }

  #weighed(vector: readonly number[]): number[] {
    return vector.map((value, index) => value * (this.#weights[index] ?? 1))
  }

  #unweighed(vector: readonly number[]): number[] {
    return vector.map((value, index) => value / (this.#weights[index] ?? 1))
  }
}

/** The same as a sum of one or two plain decays; undefined for more of them or for an oscillation. */
export function decaysOf(matrix: Matrix, row: readonly number[], start: readonly number[]): readonly DecayTerm[] | undefined {
  const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = matrix
  if (matrix.length === 1) return [{ amplitude: dot(row, start), perMs: -a }]
  if (matrix.length > 2) return undefined
  const mean = (a + d) / 2
  const square = mean * mean - (a * d - b * c)
  if (square < (mean * LEAST_DIFFERENCE) ** 2) return undefined
  const half = Math.sqrt(square)
  const apart = scaled(
    times(
      plusScaled(
        matrix,
        [
          [1, 0],
          [0, 1],
        ],
        -mean,
      ),
      start,
    ),
    1 / half,
  )
  return [1, -1].map((sign) => ({ amplitude: (dot(row, start) + sign * dot(row, apart)) / 2, perMs: -(mean + sign * half) }))
}
