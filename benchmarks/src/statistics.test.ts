import { describe, expect, it } from 'vitest'
import { median, quantile } from './statistics.ts'

describe('median', () => {
  it('is the middle value, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('is the mean of the two in the middle', () => {
    expect(median([4, 1, 2, 100])).toBe(3)
  })

  it('refuses no values', () => {
    expect(() => median([])).toThrow(RangeError)
  })
})

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

  it('is a value that was measured: 99 of 100 are not above p99', () => {
    expect(quantile(hundred, 0.99)).toBe(99)
    expect(quantile(hundred, 0.5)).toBe(50)
    expect(quantile(hundred, 1)).toBe(100)
    expect(quantile(hundred, 0)).toBe(1)
  })

  it('refuses no values', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })
})
