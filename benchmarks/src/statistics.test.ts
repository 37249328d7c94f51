import { describe, expect, it } from 'vitest'
import { compare, inTurn, median, quantile, ratio } from './statistics.ts'

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

  it('is a measured value: 99 of 100 are not above p99', () => {
    expect([0, 0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([1, 50, 99, 100])
    expect(median([9, 1, 5])).toBe(5)
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })
})

it('inTurn and compare alternate between both sides, and keep the figure of each round', async () => {
  const order: string[] = []
  const side = (name: string, values: number[]) => () => {
    order.push(name)
    return Promise.resolve({ time: values.shift() ?? 0 })
  }
  const rounds = await inTurn(3, side('a', [4, 9, 2]), side('b', [1, 3, 2]))
  expect(order.join('')).toBe('ababab')
  expect(compare(rounds, 'time', 's', ratio)).toEqual({ measured: '4 s', comparison: '2 s', figures: [4, 3, 1] })
})
