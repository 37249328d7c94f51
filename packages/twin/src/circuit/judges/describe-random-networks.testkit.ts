import { describe, expect, it } from 'vitest'
import { seenOnNetwork } from './random-networks.testkit.ts'

const LIMIT_MS = 5000

/** Declares a test of random networks with seeds from `first` on. */
export function describeRandomNetworks(count: number, first: number): void {
  describe(`${count} random networks (seeds from ${first} on)`, () => {
    it(
      'have finite voltages, the same in any order of connecting',
      async () => {
        for (let seed = first; seed < first + count; seed++) {
          const seen = await seenOnNetwork(seed, seed)
          expect(seen.every(Number.isFinite), `seed ${seed}`).toBe(true)
          expect(await seenOnNetwork(seed, seed + 1), `seed ${seed}`).toEqual(seen)
        }
      },
      count * LIMIT_MS,
    )
  })
}
