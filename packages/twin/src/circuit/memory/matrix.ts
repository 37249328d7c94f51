/** Rows of a small matrix. */
export type Matrix = readonly (readonly number[])[]

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

export function times(matrix: Matrix, vector: readonly number[]): number[] {
  return matrix.map((row) => dot(row, vector))
}

export function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b)
  return a.map((row) => columns.map((column) => dot(row, column)))
}

export function scaled(vector: readonly number[], factor: number): number[] {
  return vector.map((value) => value * factor)
}

export function plus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, index) => value + (b[index] ?? 0))
}

export function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_unused, column) => (row === column ? 1 : 0)))
}

/** `a` + `factor` × `b`. */
export function plusScaled(a: Matrix, b: Matrix, factor: number): Matrix {
  return a.map((row, index) => plus(row, scaled(b[index] ?? [], factor)))
}

/** Solves `matrix` × x = `right` by elimination; the matrix must not be singular. */
export function solved(matrix: Matrix, right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0])
  const size = rows.length
  for (let column = 0; column < size; column++) {
    const [pivot] = rows.splice(largestIn(rows, column), 1) as [number[]]
    rows.splice(column, 0, pivot)
    for (const [index, row] of rows.entries()) {
      if (index === column) continue
      const share = (row[column] ?? 0) / (pivot[column] ?? 1)
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - share * (pivot[at] ?? 0)
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1))
}

/** `matrix` to the power of a whole number, 0 or more. */
export function power(matrix: Matrix, exponent: number): Matrix {
  let result = identity(matrix.length)
  let square = matrix
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = product(result, square)
    square = product(square, square)
  }
  return result
}

function transposed(matrix: Matrix): Matrix {
  return (matrix[0] ?? []).map((_, column) => matrix.map((row) => row[column] ?? 0))
}

/** Index of the row with the largest value in this column, searched from row `column` on. */
function largestIn(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  }
  return best
}
