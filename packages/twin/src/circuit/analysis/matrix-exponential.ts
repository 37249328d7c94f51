import { identity, inverseOf, type Matrix, Powers, scaled, times, transposed } from './matrix.ts'

/** The smallest step is the time in which the matrix changes a vector by this share. */
const STEP_SHARE = 1 / 64
/** Terms of the series for times below that step: exact to the last digit. */
const SERIES_TERMS = 7
/** Number of results to cache. */
const MAX_KEPT = 256

/** Computes e^(`matrix` × t) × vector for decaying solutions: a series for a short time, then by doubling steps. */
export class MatrixExponential {
  /** All entries of the matrix, row by row: much faster to read. */
  readonly #entries: Float64Array
  readonly #stepMs: number
  /** Powers of e^(`matrix` × step). */
  #powers: Powers | undefined
  #inverse: Matrix | undefined
  /** Results for the last vector: a search asks for the ends of an interval several times, at each level. */
  #recent: { readonly vector: readonly number[]; readonly results: Map<number, readonly number[]> } | undefined

  constructor(readonly matrix: Matrix) {
    const largest = Math.max(...matrix.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)))
    this.#entries = Float64Array.from(matrix.flat())
    this.#stepMs = STEP_SHARE / largest
  }

  /** Solves `matrix` × x = `right`. */
  solved(right: readonly number[]): number[] {
    this.#inverse ??= inverseOf(this.matrix)
    return times(this.#inverse, right)
  }

  /** The vector after t ms, 0 or more. */
  after(t: number, vector: readonly number[]): readonly number[] {
    if (t === 0) return vector
    if (t === Number.POSITIVE_INFINITY) return scaled(vector, 0)
    if (vector.length === 1) return scaled(vector, Math.exp((this.matrix[0]?.[0] ?? 0) * t))
    if (this.#recent?.vector !== vector || this.#recent.results.size > MAX_KEPT) this.#recent = { vector, results: new Map() }
    const result = this.#recent.results.get(t) ?? this.#stepped(t, vector)
    this.#recent.results.set(t, result)
    return result
  }

  #stepped(t: number, vector: readonly number[]): readonly number[] {
    const steps = Math.floor(t / this.#stepMs)
    const rest = this.#series(t - steps * this.#stepMs, vector)
    if (steps === 0) return rest
    this.#powers ??= new Powers(transposed(identity(vector.length).map((unit) => this.#series(this.#stepMs, unit))))
    return this.#powers.times(steps, rest)
  }

  #series(t: number, vector: readonly number[]): readonly number[] {
    const size = vector.length
    const sum = [...vector]
    let term = vector
    for (let index = 1; index <= SERIES_TERMS; index++) {
      const next: number[] = []
      for (let row = 0; row < size; row++) {
        let slope = 0
        for (let column = 0; column < size; column++) slope += (this.#entries[row * size + column] ?? 0) * (term[column] ?? 0)
        next.push(slope * (t / index))
        sum[row] = (sum[row] ?? 0) + slope * (t / index)
      }
      term = next
    }
    return sum
  }
}
