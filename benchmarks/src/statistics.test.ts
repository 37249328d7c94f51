import { describe, expect, it } from 'vitest'
import { inTurn, median, quantile, readingOf } from './statistics.ts'

describe('median', () => {
  it('is the middle value, in any order', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('is the mean of the two middle values', () => {
    expect(median([4, 1, 2, 100])).toBe(3)
  })

  it('refuses an empty list', () => {
    expect(() => median([])).toThrow(RangeError)
  })
})

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

  it('is a measured value: 99 of 100 are not above p99', () => {
    expect(quantile(hundred, 0.99)).toBe(99)
    expect(quantile(hundred, 0.5)).toBe(50)
    expect(quantile(hundred, 1)).toBe(100)
    expect(quantile(hundred, 0)).toBe(1)
  })

  it('refuses an empty list', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })
})

describe('inTurn and readingOf', () => {
  it('alternate between both sides, and use their medians and the median of their rounds', async () => {
    const order: string[] = []
    const side = (name: string, values: number[]) => () => {
      order.push(name)
      return Promise.resolve(values.shift() ?? 0)
    }
    const rounds = await inTurn(3, side('a', [4, 9, 2]), side('b', [1, 3, 2]))
    expect(order.join('')).toBe('ababab')
    expect(
      readingOf(rounds, { value: (figure) => figure * 10, text: (figure) => `${figure} s`, figure: (a, b) => a / b }),
    ).toEqual({ measured: '40 s', comparison: '20 s', figure: 3 })
  })
})
