import { Elimination, identity, type Matrix, Powers, scaled } from './matrix.ts'

/** The smallest step is the time in which the matrix changes a vector by this share. */
const STEP_SHARE = 1 / 64
/** Terms of the series for times below that step: exact to the last digit. */
const SERIES_TERMS = 7

/** Computes e^(`matrix` × t) × vector for decaying solutions: in closed form for up to two rows, otherwise by doubling steps. */
export class Propagator {
  readonly matrix: Matrix
  /** All entries of the matrix, row by row: much faster to read. */
  readonly #entries: Float64Array
  readonly #stepMs: number
  /** Powers of e^(`matrix` × step). */
  #powers: Powers | undefined
  #elimination: Elimination | undefined
  /** The last result of many steps: a search asks for the end of an interval several times. */
  #last: { readonly t: number; readonly vector: readonly number[]; readonly result: readonly number[] } | undefined

  constructor(matrix: Matrix) {
    const largest = Math.max(...matrix.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)))
    this.matrix = matrix
    this.#entries = Float64Array.from(matrix.flat())
    this.#stepMs = STEP_SHARE / largest
  }

  /** Solves `matrix` × x = `right`. */
  solved(right: readonly number[]): number[] {
    this.#elimination ??= new Elimination(this.matrix)
    return this.#elimination.solved(right)
  }

  /** The vector after t ms, 0 or more. */
  after(t: number, vector: readonly number[]): readonly number[] {
    if (t === 0) return vector
    if (t === Number.POSITIVE_INFINITY) return scaled(vector, 0)
    if (vector.length === 1) return scaled(vector, Math.exp((this.matrix[0]?.[0] ?? 0) * t))
    if (vector.length === 2) return afterOfTwo(this.matrix, t, vector)
    if (this.#last?.t !== t || this.#last.vector !== vector) this.#last = { t, vector, result: this.#stepped(t, vector) }
    return this.#last.result
  }

  #stepped(t: number, vector: readonly number[]): readonly number[] {
    const steps = Math.floor(t / this.#stepMs)
    const rest = this.#series(t - steps * this.#stepMs, vector)
    if (steps === 0) return rest
    this.#powers ??= new Powers(this.#step())
    return this.#powers.times(steps, rest)
  }

  #step(): Matrix {
    const size = this.matrix.length
    const columns = identity(size).map((unit) => this.#series(this.#stepMs, unit))
    return identity(size).map((_, row) => columns.map((column) => column[row] ?? 0))
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

/** With the eigenvalues m ± √s: e^(m t) × (cosh(√s t) × 1 + sinh(√s t) / √s × (matrix − m × 1)); cos and sin if s is negative. */
function afterOfTwo(matrix: Matrix, t: number, [x = 0, y = 0]: readonly number[]): readonly number[] {
  const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = matrix
  const [mean, half] = [(a + d) / 2, (a - d) / 2]
  const square = half * half + b * c
  const root = Math.sqrt(Math.abs(square))
  const [even, odd] = square < 0 ? oscillating(mean, root, t) : fading(mean, root, t)
  return [even * x + odd * (half * x + b * y), even * y + odd * (c * x - half * y)]
}

function oscillating(mean: number, root: number, t: number): [number, number] {
  const grown = Math.exp(mean * t)
  return [grown * Math.cos(root * t), (grown * Math.sin(root * t)) / root]
}

function fading(mean: number, root: number, t: number): [number, number] {
  if (root * t > 1) {
    const [slow, fast] = [Math.exp((mean + root) * t), Math.exp((mean - root) * t)]
    return [(slow + fast) / 2, (slow - fast) / (2 * root)]
  }
  // Avoid the difference of two nearly equal numbers: it would lose all precision.
  const grown = Math.exp(mean * t)
  return [grown * Math.cosh(root * t), root === 0 ? grown * t : (grown * Math.sinh(root * t)) / root]
}
