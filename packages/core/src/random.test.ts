import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SESSION_LENGTH, seededRandom, sessionIdentifier, systemRandom } from './random.ts'

const take = (count: number, random: () => number): number[] => Array.from({ length: count }, () => random())

describe('seededRandom', () => {
  it('gives the same sequence for the same seed, and another for another seed', () => {
    expect(take(20, seededRandom(7))).toEqual(take(20, seededRandom(7)))
    expect(take(20, seededRandom(7))).not.toEqual(take(20, seededRandom(8)))
  })

  it('stays in [0, 1) for any seed', () =>
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const number of take(50, seededRandom(seed))) {
          expect(number).toBeGreaterThanOrEqual(0)
          expect(number).toBeLessThan(1)
        }
      }),
    ))

  it('is evenly distributed: each tenth gets its share', () => {
    const shares = new Array<number>(10).fill(0)
    for (const number of take(10_000, seededRandom(1)))
      shares[Math.floor(number * 10)] = (shares[Math.floor(number * 10)] ?? 0) + 1
    for (const share of shares) expect(Math.abs(share - 1000)).toBeLessThan(150)
  })
})

it('systemRandom stays in [0, 1) and does not repeat', () => {
  const numbers = take(100, systemRandom)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  expect(new Set(numbers).size).toBeGreaterThan(95)
})

describe('sessionIdentifier', () => {
  it('is 64 upper-case letters and digits, from any source of randomness', () => {
    expect(SESSION_LENGTH).toBe(64)
    fc.assert(fc.property(fc.integer(), (seed) => /^[A-Z0-9]{64}$/.test(sessionIdentifier(seededRandom(seed)))))
    expect(sessionIdentifier(systemRandom)).toMatch(/^[A-Z0-9]{64}$/)
  })

  it('uses the whole alphabet, from its first to its last character', () => {
    expect(sessionIdentifier(() => 0)).toBe('A'.repeat(64))
    expect(sessionIdentifier(() => 1 - 2 ** -32)).toBe('9'.repeat(64))
    const random = seededRandom(3)
    const used = new Set(Array.from({ length: 50 }, () => sessionIdentifier(random)).join(''))
    expect(used.size).toBe(36)
  })

  it('differs each time', () => expect(sessionIdentifier(systemRandom)).not.toBe(sessionIdentifier(systemRandom)))
})
