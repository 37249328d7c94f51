import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import type { CircuitNode } from '../analysis/circuit-node.ts'
import { anyCoil, anyLoad, anyMotor, anyNoise, anySource, anyWave, equidistant, nodeOf, seenChanges } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'
import { coil } from '../elements/index.ts'
import { type Band, tolerant } from './band.ts'
import { LevelTracker } from './level-tracker.ts'

/** No edge of a wave of whole Hz, degrees and percent is at this time, so rounding does not matter. */
const UNTIL_MS = 200.0123
/** Limit of search steps: more than edges and crossings in this time. */
const MAX_LOOKS = 20_000

const anyBand: fc.Arbitrary<Band> = fc
  .tuple(fc.integer({ min: -100, max: 400 }), fc.integer({ min: 1, max: 100 }))
  // Avoid exact wave levels, where rounding would matter.
  .map(([low, width]) => ({ lowVolts: (low + Math.SQRT1_2) / 100, highVolts: (low + width + Math.SQRT1_2) / 100 }))

interface Change {
  readonly atMs: number
  readonly isHigh: boolean
}

/** All changes of the level that the tracker finds. */
function solvedChanges(node: CircuitNode, band: Band, wasHigh: boolean): Change[] {
  const tracker = new LevelTracker(node, band, 0, wasHigh)
  const found: Change[] = []
  let atMs = 0
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const isHigh = !tracker.isHigh(atMs)
    const moment = tracker.next(atMs, isHigh ? 'rising' : 'falling')
    if (moment.atMs > UNTIL_MS) return found
    if (moment.found) found.push({ atMs: moment.atMs, isHigh })
    atMs = moment.atMs
  }
  throw new Error('the search does not come to an end')
}

/** Sampling at equal distances, and around the found moments, must show the same changes. */
function expectComplete(node: CircuitNode, band: Band, wasHigh: boolean, steps: number): void {
  const solved = solvedChanges(node, band, wasHigh)
  const moments = [...equidistant(UNTIL_MS, steps), ...solved.flatMap(({ atMs }) => [atMs - 1e-6, atMs, atMs + 1e-9])]
  const looked = moments.filter((ms) => ms >= 0 && ms <= UNTIL_MS).sort((a, b) => a - b)
  const seen = seenChanges(node, tolerant(band), wasHigh, looked)
  expect(seen.map(({ isHigh }) => isHigh)).toEqual(solved.map(({ isHigh }) => isHigh))
  for (const [index, { atMs }] of solved.entries()) {
    expect(atMs).toBeGreaterThanOrEqual((seen[index]?.afterMs ?? Number.POSITIVE_INFINITY) - 1e-9)
    expect(atMs).toBeLessThanOrEqual((seen[index]?.byMs ?? 0) + 1e-9)
  }
  const tracker = new LevelTracker(node, band, 0, wasHigh)
  expect(tracker.rises(0, UNTIL_MS)).toBe(solved.filter(({ isHigh }) => isHigh).length)
  for (const { byMs, isHigh } of seen.slice(0, 20)) expect(tracker.isHigh(byMs)).toBe(isHigh)
}

function check(elements: fc.Arbitrary<readonly Element[]>, numRuns: number, steps: number): void {
  fc.assert(
    fc.property(elements, anyBand, fc.boolean(), (each, band, wasHigh) => {
      expectComplete(nodeOf(...each), band, wasHigh, steps)
    }),
    { numRuns: cases(numRuns), endOnFailure: true },
  )
}

describe('LevelTracker', () => {
  it('finds the same changes as sampling for one wave', () => check(fc.tuple(anyWave(1, 400), anyLoad), 15, 5000))

  it('finds the same changes as sampling for two waves of any frequencies', () =>
    check(fc.tuple(anyWave(1, 100), anyWave(1, 100), anySource), 15, 5000))

  it('finds the same changes as sampling for noise and a wave', () =>
    check(fc.tuple(anyNoise, anyWave(1, 100), anyLoad), 10, 4000))

  it('finds the same changes as sampling for a coil and a wave', () =>
    check(fc.tuple(anyCoil, anyWave(1, 100), anySource), 10, 2000))

  it('finds the same changes as sampling for a coil that settles slowly behind a fast wave, whose periods are skipped', () => {
    const slowCoil = fc.integer({ min: 50, max: 500 }).map((ohms) => coil({ ohms, henry: ohms / 10 }))
    check(fc.tuple(slowCoil, anyWave(300, 2000), anySource), 6, 10_000)
  })

  it('finds the same changes as sampling for a coil, noise and a wave', () =>
    check(fc.tuple(anyCoil, anyNoise, anyWave(1, 50)), 6, 1000))

  it('finds the same changes as sampling for a motor and two waves', () =>
    check(fc.tuple(anyMotor, anyWave(1, 50), anyWave(1, 50)), 6, 1000))

  it('finds the same changes as sampling for coils and a motor that settle', () =>
    check(fc.tuple(anyCoil, anyCoil, anyMotor, anySource), 6, 300))
})
