import { describe, expect, it } from 'vitest'
import type { Branch } from '../branch.ts'
import { singleNode } from '../circuit.testkit.ts'
import { coil, motor, resistor, sineWave, source, squareWave, triangleWave } from '../elements/index.ts'
import { LevelTracker } from './level-tracker.ts'

const BAND = { lowVolts: 1.5, highVolts: 2.5 }
const FREQUENCIES = [1, 3, 7, 10, 100, 333, 1000, 12_345, 100_000, 999_999, 1_000_000]
const waves = { squareWave, sineWave, triangleWave }

/** Expects the frequency in several whole seconds. Rounding may move one edge from one second to the next. */
function expectEverySecond(branches: readonly Branch[], frequencyHz: number): void {
  const tracker = new LevelTracker(singleNode(branches), BAND, 0, false)
  for (const second of [1, 2, 3, 59, 3600]) {
    const counted = tracker.rises(second * 1000, (second + 1) * 1000)
    expect(Math.abs(counted - frequencyHz), `in second ${second}`).toBeLessThanOrEqual(1)
  }
}

const branchOf = ({ branch }: { readonly branch: Branch | undefined }): Branch[] => (branch === undefined ? [] : [branch])

describe.each(Object.entries(waves))('rises of a %s in whole seconds', (_name, wave) => {
  it.each(FREQUENCIES)('match its %i Hz behind a coil', (frequencyHz) => {
    const each = [wave({ frequencyHz, lowVolts: 0, highVolts: 5, ohms: 100 }), coil({ ohms: 1000, henry: 0.1 })]
    expectEverySecond(each.flatMap(branchOf), frequencyHz)
  })

  it.each([10, 1000, 100_000, 1_000_000])('match its %i Hz with a motor and a source on the node', (frequencyHz) => {
    const each = [
      wave({ frequencyHz, lowVolts: 0, highVolts: 8, ohms: 10 }),
      motor({ ohms: 1000 }),
      source({ volts: 0, ohms: 20 }),
    ]
    expectEverySecond(each.flatMap(branchOf), frequencyHz)
  })

  it.each([10, 1000, 100_000, 500_000])('match its %i Hz with a small wave of twice the frequency on the node', (frequencyHz) => {
    const each = [
      wave({ frequencyHz, lowVolts: 0, highVolts: 5, ohms: 10 }),
      sineWave({ frequencyHz: 2 * frequencyHz, amplitudeVolts: 0.5, offsetVolts: 2, ohms: 100 }),
      resistor({ ohms: 1000 }),
    ]
    expectEverySecond(each.flatMap(branchOf), frequencyHz)
  })
})

it('rises while a coil settles behind a fast wave sum up to the same in one interval and in many short ones, although a rise drifts into the next period', () => {
  const wave = triangleWave({ frequencyHz: 1503, phaseDegrees: 340, lowVolts: 0.6, highVolts: 6.4, ohms: 1102, duty: 0.05 })
  const each = [coil({ ohms: 248, henry: 24.8 }), wave, source({ volts: -9, ohms: 9987 })]
  const band = { lowVolts: 0.07 + Math.SQRT1_2 / 100, highVolts: 1.07 + Math.SQRT1_2 / 100 }
  const tracker = new LevelTracker(singleNode(each.flatMap(branchOf)), band, 0, false)
  const stretches = Array.from({ length: 200 }, (_, ms) => tracker.rises(ms, ms + 1))
  expect(tracker.rises(0, 200)).toBe(stretches.reduce((sum, rises) => sum + rises))
})
