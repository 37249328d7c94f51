import type { Curve, Range } from '../events/zero-crossing.ts'
import { dot, times } from './matrix.ts'
import type { MatrixExponential } from './matrix-exponential.ts'

/**
 * `row` · e^(`matrix` × t) × `start`: the decaying part of a passive circuit. The energy of its state never grows, nor does that of its
 * slope, which follows the same waveform. This bounds both.
 */
export class NaturalResponse implements Curve {
  readonly #exponential: MatrixExponential
  readonly #row: readonly number[]
  readonly #start: readonly number[]
  readonly #weights: readonly number[]

  constructor(exponential: MatrixExponential, row: readonly number[], start: readonly number[], weights: readonly number[]) {
    this.#exponential = exponential
    this.#row = row
    this.#start = start
    this.#weights = weights
  }

  at(t: number): number {
    return dot(this.#row, this.#stateAt(t))
  }

  range(from: number, to: number): Range {
    const state = this.#stateAt(from)
    return this.#within(dot(this.#row, state), this.at(to), times(this.#exponential.matrix, state), to - from)
  }

  slopes(from: number, to: number): Range {
    const slope = times(this.#exponential.matrix, this.#stateAt(from))
    const atEnd = dot(this.#row, times(this.#exponential.matrix, this.#stateAt(to)))
    return this.#within(dot(this.#row, slope), atEnd, times(this.#exponential.matrix, slope), to - from)
  }

  #stateAt(t: number): readonly number[] {
    return this.#exponential.after(t, this.#start)
  }

  /** A range that contains both values and everything that the steepest slope allows between them. */
  #within(first: number, last: number, slope: readonly number[], length: number): Range {
    // A single decay goes one way.
    if (slope.length === 1) return first < last ? [first, last] : [last, first]
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
