import type { Curve, Range } from '../events/zero-crossing.ts'
import { dot, times } from './matrix.ts'
import type { MatrixExponential } from './matrix-exponential.ts'

/**
 * `row` · e^(`matrix` × t) × `start`: the decaying part of a passive circuit. The energy of its state never grows, nor does that of its
 * slope, which obeys the same differential equation. This bounds both.
 */
export class NaturalResponse implements Curve {
  constructor(
    private readonly exponential: MatrixExponential,
    private readonly row: readonly number[],
    private readonly start: readonly number[],
    private readonly weights: readonly number[],
  ) {}

  at(t: number): number {
    return dot(this.row, this.#stateAt(t))
  }

  range(from: number, to: number): Range {
    const state = this.#stateAt(from)
    return this.#within(dot(this.row, state), this.at(to), times(this.exponential.matrix, state), to - from)
  }

  slopes(from: number, to: number): Range {
    const slope = times(this.exponential.matrix, this.#stateAt(from))
    const atEnd = dot(this.row, times(this.exponential.matrix, this.#stateAt(to)))
    return this.#within(dot(this.row, slope), atEnd, times(this.exponential.matrix, slope), to - from)
  }

  #stateAt(t: number): readonly number[] {
    return this.exponential.after(t, this.start)
  }

  /** A range that contains both values, and between them what the steepest slope, or else the greatest curvature, allows. */
  #within(first: number, last: number, slope: readonly number[], length: number): Range {
    // A single decay goes one way.
    if (slope.length === 1) return first < last ? [first, last] : [last, first]
    const reach = this.#most(slope) * length
    const bulge = this.#most(times(this.exponential.matrix, slope)) * length ** 2
    const half = Math.min(Math.max(Math.abs(last - first), reach) / 2, Math.abs(last - first) / 2 + bulge / 8)
    return [(first + last) / 2 - half, (first + last) / 2 + half]
  }

  /** Most that the row makes of a state with the energy of this one (Cauchy-Schwarz). */
  #most(state: readonly number[]): number {
    let [energy, effect] = [0, 0]
    for (const [index, weight] of this.weights.entries()) {
      energy += weight * (state[index] ?? 0) ** 2
      effect += (this.row[index] ?? 0) ** 2 / weight
    }
    return Math.sqrt(energy * effect)
  }
}
