/** Rows of a small matrix. */
export type Matrix = readonly (readonly number[])[]

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

export function times(matrix: Matrix, vector: readonly number[]): number[] {
  const result: number[] = []
  for (const row of matrix) result.push(dot(row, vector))
  return result
}

export function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b)
  return a.map((row) => columns.map((column) => dot(row, column)))
}

export function scaled(vector: readonly number[], factor: number): number[] {
  const result: number[] = []
  for (const value of vector) result.push(value * factor)
  return result
}

export function plus(a: readonly number[], b: readonly number[]): number[] {
  const result: number[] = []
  for (let index = 0; index < a.length; index++) result.push((a[index] ?? 0) + (b[index] ?? 0))
  return result
}

export function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_unused, column) => (row === column ? 1 : 0)))
}

/** `a` + `factor` × `b`. */
export function plusScaled(a: Matrix, b: Matrix, factor: number): Matrix {
  return a.map((row, index) => plus(row, scaled(b[index] ?? [], factor)))
}

/** Rows from columns, and the other way round. */
export function transposed(matrix: Matrix): Matrix {
  return (matrix[0] ?? []).map((_, column) => matrix.map((row) => row[column] ?? 0))
}

/** All lists that take one value from each of the choices. */
export function combinations<Value>(choices: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  return choices.reduce<readonly (readonly Value[])[]>(
    (lists, values) => lists.flatMap((list) => values.map((value) => [...list, value])),
    [[]],
  )
}

/** The inverse, by Gauss-Jordan elimination with the largest pivot of each column. The matrix must not be singular. */
export function inverseOf(matrix: Matrix): Matrix {
  const size = matrix.length
  const rows = identity(size).map((unit, index) => [...(matrix[index] ?? []), ...unit])
  for (let column = 0; column < size; column++) {
    const from = largestIn(rows, column)
    const head = rows[from] ?? []
    rows[from] = rows[column] ?? []
    rows[column] = head
    for (const row of rows) {
      const share = row === head ? 0 : (row[column] ?? 0) / (head[column] ?? 1)
      if (share !== 0) for (let at = column; at < row.length; at++) row[at] = (row[at] ?? 0) - share * (head[at] ?? 0)
    }
  }
  return rows.map((row, index) => scaled(row.slice(size), 1 / (row[index] ?? 1)))
}

/** Whole powers of a matrix. It keeps the squares, so that each power of a vector takes few multiplications. */
export class Powers {
  readonly #size: number
  /** The entries of the matrix to the power of 2^n, row by row: much faster to read. */
  readonly #squares: Float64Array[]

  constructor(matrix: Matrix) {
    this.#size = matrix.length
    this.#squares = [Float64Array.from(matrix.flat())]
  }

  /** The matrix to the power of a whole number, 0 or more, times the vector. */
  times(exponent: number, vector: readonly number[]): readonly number[] {
    let result = Float64Array.from(vector)
    let next = new Float64Array(this.#size)
    for (let left = exponent, n = 0; left > 0; left = Math.floor(left / 2), n++) {
      if (left % 2 === 0) continue
      this.#multiply(this.#square(n), result, next, 1)
      const used = result
      result = next
      next = used
    }
    return Array.from(result)
  }

  #square(n: number): Float64Array {
    const known = this.#squares[n]
    if (known !== undefined) return known
    const half = this.#square(n - 1)
    const found = new Float64Array(half.length)
    this.#multiply(half, half, found, this.#size)
    this.#squares[n] = found
    return found
  }

  /** Writes the product of the square matrix `a` and of `b`, which has this many columns. */
  #multiply(a: Float64Array, b: Float64Array, to: Float64Array, columns: number): void {
    const size = this.#size
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < columns; column++) {
        let sum = 0
        for (let index = 0; index < size; index++) sum += (a[row * size + index] ?? 0) * (b[index * columns + column] ?? 0)
        to[row * columns + column] = sum
      }
    }
  }
}

/** Index of the row with the largest value in this column, searched from row `column` on. */
function largestIn(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  }
  return best
}
