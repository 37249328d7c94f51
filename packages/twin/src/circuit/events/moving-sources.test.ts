import { seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import type { CircuitNode } from '../analysis/circuit-node.ts'
import { nodeOf } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'
import { noise, resistor, sineWave, squareWave, triangleWave } from '../elements/index.ts'
import { decidedBy, tolerant } from './band.ts'
import { LevelTracker } from './level-tracker.ts'

const BAND = { lowVolts: 1.5, highVolts: 2.5 }
const ohms = 1000
const input = resistor({ ohms: 1_000_000 })

describe('rises of a fast wave that a slow one lets pass half of the time', () => {
  const slow = squareWave({ frequencyHz: 2, lowVolts: -6, highVolts: 0, ohms })
  /** At no round part of a period. */
  const readings = Array.from({ length: 40 }, (_, reading) => 1000 + reading * 123.456_789)

  it.each([100, 2100, 10_000, 50_000, 1_000_000, 10_000_000])('are half of %i Hz, at any moment', (frequencyHz) => {
    const node = nodeOf(squareWave({ frequencyHz, lowVolts: 0, highVolts: 6, ohms }), slow, input)
    const tracker = new LevelTracker(node, BAND, 0, false)
    for (const atMs of readings) expect(Math.abs(tracker.rises(atMs - 1000, atMs) - frequencyHz / 2)).toBeLessThanOrEqual(1)
  })
})

interface Change {
  readonly atMs: number
  readonly isHigh: boolean
}

/** All changes of the level, followed from edge to edge with some moments in between, without any shortcut. */
function followedChanges(node: CircuitNode, untilMs: number): Change[] {
  const decidedAt = (atMs: number): boolean | undefined => decidedBy(tolerant(BAND), node.voltsAt(atMs))
  const parts = PARTS_OF_A_WAVE
  const changes = [{ atMs: 0, isHigh: decidedAt(0) ?? false }]
  for (let fromMs = 0; fromMs < untilMs; ) {
    const edgeMs = node.edgeAfter(fromMs)
    let before = fromMs
    const shares = Array.from({ length: parts }, (_, part) => (part + 1) / (parts + 1))
    // The last share is just before the edge, where a rising voltage is highest.
    for (const share of node.isStepped ? [1] : [...shares, JUST_BEFORE, 1]) {
      const atMs = share === 1 ? edgeMs : fromMs + (edgeMs - fromMs) * share
      const was = changes.at(-1)?.isHigh
      const isHigh = decidedAt(atMs) ?? was
      if (isHigh !== was)
        changes.push({ atMs: firstMoment(before, atMs, (ms) => decidedAt(ms) === isHigh), isHigh: isHigh === true })
      before = atMs
    }
    fromMs = edgeMs
  }
  return changes
}

function firstMoment(beforeMs: number, atMs: number, holds: (ms: number) => boolean): number {
  let [before, after] = [beforeMs, atMs]
  for (let halvings = 0; halvings < 60; halvings++) {
    const middle = (before + after) / 2
    if (holds(middle)) after = middle
    else before = middle
  }
  return after
}

/** Samples between two edges. Each turn of a wave is an edge. */
const PARTS_OF_A_WAVE = 6
const JUST_BEFORE = 1 - 1e-6
const SAME_MOMENT_MS = 1e-6
const UNTIL_MS = 25

/** Two to four sources, one far slower than another. */
function randomCircuit(seed: number): Element[] {
  const random = seededRandom(seed)
  const between = (low: number, high: number): number => low + random() * (high - low)
  const wave = (leastHz: number, mostHz: number, isSlow: boolean): Element => {
    const lowVolts = between(-8, 2)
    const of = { frequencyHz: leastHz * (mostHz / leastHz) ** random(), lowVolts, highVolts: lowVolts + between(2, 16) }
    const kind = Math.floor(random() * (isSlow ? 4 : 3))
    if (kind === 3) return noise({ ...of, ohms, seed })
    return [squareWave, sineWave, triangleWave][kind]?.({ ...of, ohms, phaseDegrees: between(0, 360) }) ?? input
  }
  const fastHz = between(1, 100)
  const slow = Array.from({ length: 1 + Math.floor(random() * 2.5) }, () => wave(5, 500, true))
  const similar = fastHz < 10 ? [wave(2000, 20_000, false)] : []
  return [wave(fastHz * 1000, fastHz * 2000, false), ...slow, ...similar, input]
}

it.each(Array.from({ length: cases(25) }, (_, index) => index + 1))(
  'a level on random circuits of slow and fast sources is what following each edge finds: seed %i',
  (seed) => {
    const node = nodeOf(...randomCircuit(seed))
    const changes = followedChanges(node, UNTIL_MS + 1)
    const rises = changes.filter(({ atMs, isHigh }) => isHigh && atMs > 0).map(({ atMs }) => atMs)
    const tracker = new LevelTracker(node, BAND, 0, false)
    const random = seededRandom(seed)
    const moments = Array.from({ length: 6 }, () => random() * UNTIL_MS)
    for (const atMs of moments) {
      const expected = rises.filter((ms) => ms > atMs && ms <= UNTIL_MS)
      expect(tracker.isHigh(atMs), `at ${atMs}`).toBe(changes.findLast((change) => change.atMs <= atMs)?.isHigh)
      expect(tracker.rises(atMs, UNTIL_MS), `from ${atMs}`).toBe(expected.length)
      const nextMs = expected[0] ?? UNTIL_MS
      let moment = tracker.next(atMs, 'rising')
      while (!moment.found && moment.atMs < nextMs) moment = tracker.next(moment.atMs, 'rising')
      if (nextMs < UNTIL_MS) expect(Math.abs(moment.atMs - nextMs)).toBeLessThan(SAME_MOMENT_MS)
      else expect(moment.atMs).toBeGreaterThanOrEqual(UNTIL_MS)
    }
  },
)
