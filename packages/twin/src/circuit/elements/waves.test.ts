import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyNoise, anyWave, nodeOf } from '../circuit.testkit.ts'
import { type Element, noise, sineWave, squareWave, triangleWave } from './index.ts'

const swing = { frequencyHz: 100, lowVolts: 0, highVolts: 4 }

it.each([
  ['a sine rises through its middle at first', sineWave(swing), [0, 2.5, 5, 7.5, 10, 10 / 12], [2, 4, 2, 0, 2, 3]],
  ['a sine with a phase of 90° begins at its peak', sineWave({ ...swing, phaseDegrees: 90 }), [0], [4]],
  // 2.5 ms up, 7.5 ms down.
  ['a triangle rises for its duty', triangleWave({ ...swing, duty: 0.25 }), [0, 1.25, 2.5, 6.25, 10, 11.25], [0, 2, 4, 2, 0, 2]],
  ['a triangle with duty 1 is a rising sawtooth', triangleWave({ ...swing, duty: 1 }), [0, 5, 9.75, 10, 15], [0, 2, 3.9, 0, 2]],
  ['a triangle with duty 0 is a falling sawtooth', triangleWave({ ...swing, duty: 0 }), [0, 5, 9.75, 10, 15], [4, 2, 0.1, 4, 2]],
])('%s', (_, element, moments, expected) => {
  for (const laterMs of [0, 3_600_000])
    for (const [index, atMs] of moments.entries())
      expect(nodeOf(element).voltsAt(laterMs + atMs)).toBeCloseTo(expected[index] ?? Number.NaN, 5)
})

it('a wave swings around its offset by its amplitude; the default offset is 0 V', () => {
  expect(nodeOf(sineWave({ frequencyHz: 50, amplitudeVolts: 3, offsetVolts: 1 })).extremes()).toEqual([-2, 4])
  expect(nodeOf(squareWave({ frequencyHz: 50, amplitudeVolts: 3 })).extremes()).toEqual([-3, 3])
})

it('the mean of a wave is its middle, and that of the absolute value of a sine 2/π of its amplitude', () => {
  const meanOf = (element: Element, quantity = (volts: number): number => volts): number =>
    nodeOf(element).mean(3, Number.POSITIVE_INFINITY, quantity)
  for (const duty of [0, 0.2, 0.5, 1]) expect(meanOf(triangleWave({ ...swing, duty }))).toBeCloseTo(2, 9)
  const around = sineWave({ frequencyHz: 50, amplitudeVolts: 3 })
  expect(meanOf(around)).toBeCloseTo(0, 3)
  expect(meanOf(around, Math.abs)).toBeCloseTo((3 * 2) / Math.PI, 2)
})

describe('noise', () => {
  const of = { frequencyHz: 1000, lowVolts: -1, highVolts: 3 }
  const moments = Array.from({ length: 2000 }, (_, index) => index * 0.37)

  it('is the same for the same seed, in any order of queries', () => {
    const forth = nodeOf(noise({ ...of, seed: 9 }))
    const back = nodeOf(noise({ ...of, seed: 9 }))
    const last = moments.toReversed().map((atMs) => back.voltsAt(atMs))
    expect(moments.map((atMs) => forth.voltsAt(atMs))).toEqual(last.toReversed())
  })

  it('stays between its levels and is spread evenly between them', () => {
    const node = nodeOf(noise(of))
    // There is one random voltage per millisecond. A fifth of the range should have 400 ± 5 × 18 of 2000.
    const volts = Array.from({ length: 2000 }, (_, cell) => node.voltsAt(cell))
    expect(Math.min(...volts)).toBeGreaterThanOrEqual(-1)
    expect(Math.max(...volts)).toBeLessThanOrEqual(3)
    for (let part = 0; part < 5; part++) {
      const inPart = volts.filter((each) => Math.floor(((each + 1) / 4) * 5) === part).length
      expect(Math.abs(inPart - 400)).toBeLessThan(90)
    }
  })

  it('is a straight line from one random voltage to the next', () => {
    const node = nodeOf(noise(of))
    for (const cell of [0, 17, 5_000_000_000]) {
      const [from, to] = [node.voltsAt(cell), node.voltsAt(cell + 1)]
      expect(node.voltsAt(cell + 0.25)).toBeCloseTo(from + (to - from) / 4, 6)
    }
  })

  it('has its middle as mean', () =>
    expect(nodeOf(noise(of)).mean(0, Number.POSITIVE_INFINITY, (volts) => volts)).toBeCloseTo(1, 0))
})

describe('every waveform', () => {
  const any = fc.oneof(anyWave(1, 10_000), anyNoise)
  const moment = fc.integer({ min: 0, max: 1e9 }).map((each) => each / 7)

  it('follows its law from any moment to its next turn, and stays between its extremes', () =>
    fc.assert(
      fc.property(any, moment, fc.double({ min: 0, max: 0.999, noNaN: true }), (element, atMs, share) => {
        const node = nodeOf(element)
        const waveform = node.waveformAt(atMs)
        const edgeMs = node.edgeAfter(atMs)
        expect(edgeMs).toBeGreaterThan(atMs)
        const laterMs = atMs + share * (edgeMs - atMs)
        expect(waveform.at(laterMs)).toBeCloseTo(node.voltsAt(laterMs), 5)
        const [lowest, highest] = node.extremes()
        expect(node.voltsAt(laterMs)).toBeGreaterThanOrEqual(lowest - 1e-6)
        expect(node.voltsAt(laterMs)).toBeLessThanOrEqual(highest + 1e-6)
      }),
    ))

  it('finds the same turn backwards as forwards', () =>
    fc.assert(
      fc.property(any, moment, (element, atMs) => {
        const node = nodeOf(element)
        const edgeMs = node.edgeAfter(atMs)
        expect(node.edgeUpTo(edgeMs)).toBe(edgeMs)
        expect(node.edgeUpTo(atMs)).toBeLessThanOrEqual(atMs)
      }),
    ))

  it('is steady if both levels are equal', () => {
    const of = { frequencyHz: 10, lowVolts: 2, highVolts: 2 }
    for (const element of [sineWave(of), triangleWave(of), noise(of)]) expect(nodeOf(element).isSteady).toBe(true)
  })

  it('refuses a low level above the high level, except for a square wave', () => {
    const of = { frequencyHz: 10, lowVolts: 2, highVolts: 1 }
    for (const kind of [sineWave, triangleWave])
      expect(() => kind(of)).toThrow('lowVolts is 2, above highVolts, 1: swap them, and turn it with phaseDegrees')
    expect(() => noise(of)).toThrow(/^lowVolts is 2, above highVolts, 1: swap them$/)
    expect(nodeOf(squareWave(of)).voltsAt(1)).toBe(1)
  })

  it('accepts levels in either form, also in changes', () => {
    const wave = sineWave({ frequencyHz: 10, lowVolts: 1, highVolts: 5 })
    expect(nodeOf(wave.with({ amplitudeVolts: 1 }, 0)).extremes()).toEqual([2, 4])
    expect(nodeOf(wave.with({ offsetVolts: 10 }, 0)).extremes()).toEqual([8, 12])
    expect(nodeOf(wave.with({ highVolts: 6 }, 0)).extremes()).toEqual([1, 6])
    expect(() => sineWave.from({ frequencyHz: 10, lowVolts: 1, amplitudeVolts: 2 })).toThrow(
      'lowVolts and amplitudeVolts exclude each other',
    )
    expect(() => sineWave.from({ frequencyHz: 10, offsetVolts: 2 })).toThrow(
      'lowVolts is missing: a number from -1000 to 1000 V, or give amplitudeVolts',
    )
    expect(() => sineWave.from({ frequencyHz: 10, lowVolts: 2 })).toThrow('highVolts is missing: a number from -1000 to 1000 V')
  })
})
