import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import type { CircuitNode } from '../analysis/circuit-node.ts'
import { anyCoil, anyLoad, anyMotor, anyNoise, anySource, anyWave, equidistant, nodeOf, seenChanges } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'
import { coil, diode, sineWave } from '../elements/index.ts'
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

/** A coil that settles over many periods of a fast wave, which are skipped. */
const slowCoil = fc.integer({ min: 50, max: 500 }).map((ohms) => coil({ ohms, henry: ohms / 10 }))

it.each<[string, fc.Arbitrary<readonly Element[]>, number, number]>([
  ['one wave', fc.tuple(anyWave(1, 400), anyLoad), 15, 5000],
  ['two waves of any frequencies', fc.tuple(anyWave(1, 100), anyWave(1, 100), anySource), 15, 5000],
  ['noise and a wave', fc.tuple(anyNoise, anyWave(1, 100), anyLoad), 10, 4000],
  ['a coil and a wave', fc.tuple(anyCoil, anyWave(1, 100), anySource), 10, 2000],
  ['a coil that settles slowly behind a fast wave', fc.tuple(slowCoil, anyWave(300, 2000), anySource), 6, 10_000],
  ['a coil, noise and a wave', fc.tuple(anyCoil, anyNoise, anyWave(1, 50)), 6, 1000],
  ['a motor and two waves', fc.tuple(anyMotor, anyWave(1, 50), anyWave(1, 50)), 6, 1000],
  ['coils and a motor that settle', fc.tuple(anyCoil, anyCoil, anyMotor, anySource), 6, 300],
])('a level tracker finds the same changes as sampling for %s', (_name, elements, numRuns, steps) =>
  fc.assert(
    fc.property(elements, anyBand, fc.boolean(), (each, band, wasHigh) => {
      expectComplete(nodeOf(...each), band, wasHigh, steps)
    }),
    { numRuns: cases(numRuns), endOnFailure: true },
  ),
)

it('a level stays low while a diode holds the sum of two sines below its band', () => {
  const node = nodeOf(...[100, 30].map((hz) => sineWave(hz, { lowVolts: -5, highVolts: 5, ohms: 1000 })), diode())
  expect(new LevelTracker(node, { lowVolts: -0.5, highVolts: 1 }, 0, false).isHigh(12.2)).toBe(false)
})
