import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Matrix } from './matrix.ts'
import { identity, inverseOf, Powers, product } from './matrix.ts'
import { MatrixExponential } from './matrix-exponential.ts'

describe('inverseOf', () => {
  it('swaps rows if the pivot is 0', () =>
    expect(
      inverseOf([
        [0, 2, 0],
        [1, 0, 0],
        [0, 0, 4],
      ]),
    ).toEqual([
      [0, 1, 0],
      [0.5, 0, 0],
      [0, 0, 0.25],
    ]))

  it('gives 1 as product with its matrix', () => {
    const row = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.tuple(row, row, row, row), (rows) => {
        // A matrix with a dominant diagonal is never singular.
        const matrix = rows.map((each, index) => each.map((value, column) => value + (column === index ? 50 : 0)))
        const all = product(matrix, inverseOf(matrix)).flat()
        for (const [index, value] of identity(4).flat().entries()) expect(all[index]).toBeCloseTo(value, 9)
      }),
    )
  })
})

it('Powers multiply a vector by the matrix again and again', () => {
  // Fibonacci: the tenth and its neighbour.
  const powers = new Powers([
    [1, 1],
    [1, 0],
  ])
  expect(powers.times(10, [1, 0])).toEqual([89, 55])
  expect(powers.times(3, [1, 0])).toEqual([3, 2])
  expect(powers.times(0, [4, 5])).toEqual([4, 5])
})

describe('MatrixExponential', () => {
  it('rotates while it decays for two components that exchange energy: e^−t × (cos 3t, sin 3t)', () => {
    const [x, y] = new MatrixExponential([
      [-1, -3],
      [3, -1],
    ]).after(0.7, [1, 0])
    expect(x).toBeCloseTo(Math.exp(-0.7) * Math.cos(2.1), 12)
    expect(y).toBeCloseTo(Math.exp(-0.7) * Math.sin(2.1), 12)
  })

  it('is t × e^−t for two components of the same time constant in series', () => {
    const [x, y] = new MatrixExponential([
      [-1, 0],
      [1, -1],
    ]).after(4, [1, 0])
    expect(x).toBeCloseTo(Math.exp(-4), 12)
    expect(y).toBeCloseTo(4 * Math.exp(-4), 12)
  })

  it('decays slowly beside a component that decays a million times faster: with −0.002 + 1²/1000 = −0.001 per ms', () => {
    const matrix: Matrix = [
      [-1000, 1],
      [1, -0.002],
    ]
    const [fast, slow] = new MatrixExponential(matrix).after(100, [0, 1])
    expect(slow).toBeCloseTo(Math.exp(-0.1), 5)
    expect(fast).toBeCloseTo(Math.exp(-0.1) / 1000, 8)
  })

  it('gives the same after s and then t as after s + t', () => {
    const rate = fc.integer({ min: 1, max: 500 }).map((each) => each / 100)
    const moment = fc.integer({ min: 0, max: 1000 }).map((each) => each / 100)
    fc.assert(
      fc.property(rate, rate, rate, moment, moment, (a, b, c, s, t) => {
        const matrix: Matrix = [
          [-a - 1, 0.5, 0.2],
          [0.5, -b - 1, 0.1],
          [-0.3, 0.1, -c - 1],
        ]
        const exponential = new MatrixExponential(matrix)
        const twice = exponential.after(t, exponential.after(s, [1, 2, 3]))
        const once = exponential.after(s + t, [1, 2, 3])
        for (const [index, value] of once.entries()) expect(twice[index]).toBeCloseTo(value, 10)
      }),
    )
  })
})
