import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import { MatrixExponential } from '../analysis/matrix-exponential.ts'
import { NaturalResponse } from '../analysis/natural-response.ts'
import type { Terms } from '../analysis/waveform.ts'
import { Waveform } from '../analysis/waveform.ts'
import type { Curve, Side } from './zero-crossing.ts'
import { firstBeyond, isBeyond, lastBeyond } from './zero-crossing.ts'

const STILL: Terms = { originMs: 0, constant: 0, slope: 0, sines: [], natural: undefined }
const waveform = (terms: Partial<Terms>): Waveform => new Waveform({ ...STILL, ...terms })
const decaying = (amplitude: number, perMs: number): NaturalResponse =>
  new NaturalResponse(new MatrixExponential([[-perMs]]), [amplitude], [1], [1])
const DEGREE = Math.PI / 180

describe('a law of one term', () => {
  it('finds that a ramp of 2 V per ms from 1 V reaches 5 V after 2 ms', () => {
    const ramp = waveform({ originMs: 10, constant: 1, slope: 2 })
    expect(ramp.firstBeyond(10, 100, 5, 'above')).toBe(12)
    expect(ramp.firstBeyond(10, 11, 5, 'above')).toBeUndefined()
    expect(ramp.firstBeyond(10, 100, 0, 'below')).toBeUndefined()
  })

  it('finds that a sine of 360 ms reaches half of its height after 30 ms, and falls below it after 150 ms', () => {
    const sine = waveform({ sines: [{ amplitude: 4, radiansPerMs: DEGREE, phase: 0 }] })
    expect(sine.firstBeyond(0, 1000, 2, 'above')).toBeCloseTo(30, 9)
    expect(sine.firstBeyond(40, 1000, 2, 'below')).toBeCloseTo(150, 9)
    expect(sine.firstBeyond(160, 1000, 2, 'above')).toBeCloseTo(390, 9)
    expect(sine.firstBeyond(0, 1000, 4, 'above')).toBeUndefined()
  })
})

const figure = (max: number): fc.Arbitrary<number> => fc.integer({ min: -max * 100, max: max * 100 }).map((each) => each / 100)
const anyLaw: fc.Arbitrary<Waveform> = fc
  .record({
    constant: figure(5),
    slope: figure(1),
    sines: fc.array(
      fc.record({
        amplitude: figure(5),
        radiansPerMs: fc.integer({ min: 1, max: 300 }).map((each) => each / 100),
        phase: figure(7),
      }),
      { maxLength: 3 },
    ),
    natural: fc.tuple(figure(10), fc.integer({ min: 1, max: 300 })).map(([amplitude, rate]) => decaying(amplitude, rate / 100)),
  })
  .map(waveform)
const anyStretch = fc
  .tuple(fc.nat({ max: 3000 }), fc.integer({ min: 1, max: 2000 }))
  .map(([from, length]) => [from / 100, (from + length) / 100] as const)
const anyLevel = figure(10).map((each) => each + Math.SQRT1_2 / 1000)
const anySide = fc.constantFrom<Side>('above', 'below')

function moments(fromMs: number, toMs: number, count = 2000): number[] {
  return Array.from({ length: count + 1 }, (_, index) => fromMs + (index / count) * (toMs - fromMs))
}

describe('any law', () => {
  it('stays within its range and slopes for an interval', () =>
    fc.assert(
      fc.property(anyLaw, anyStretch, (each, [from, to]) => {
        const [lowest, highest] = each.range(from, to)
        const [least, most] = each.slopes(from, to)
        const found = moments(from, to, 200).map((ms) => each.at(ms))
        expect(Math.min(...found)).toBeGreaterThanOrEqual(lowest - 1e-9)
        expect(Math.max(...found)).toBeLessThanOrEqual(highest + 1e-9)
        const stepMs = (to - from) / 200
        for (const [index, value] of found.slice(1).entries()) {
          const slope = (value - (found[index] ?? 0)) / stepMs
          expect(slope).toBeGreaterThanOrEqual(least - 1e-6)
          expect(slope).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    ))

  it('has a tight range where a sine goes over its peak', () => {
    const sine = waveform({ sines: [{ amplitude: 4, radiansPerMs: DEGREE, phase: 0 }] })
    expect(sine.range(60, 120)).toEqual([expect.closeTo(4 * Math.sin(60 * DEGREE), 9), 4])
    expect(sine.range(200, 300)).toEqual([-4, expect.closeTo(4 * Math.sin(200 * DEGREE), 9)])
    expect(sine.range(0, 720)).toEqual([-4, 4])
  })

  it('finds the first moment beyond a level as sampling does', () =>
    fc.assert(
      fc.property(anyLaw, anyStretch, anyLevel, anySide, (each, [from, to], level, side) => {
        fc.pre(!isBeyond(each.at(from), level, side))
        const found = each.firstBeyond(from, to, level, side)
        const seen = moments(from, to).find((ms) => isBeyond(each.at(ms), level, side))
        if (seen !== undefined) expect(found ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(seen)
        if (found !== undefined) {
          expect(each.at(found)).toBeCloseTo(level, 6)
          expect([1e-6, 1e-5, 1e-4].some((ms) => isBeyond(each.at(found + ms), level, side))).toBe(true)
        }
      }),
      { numRuns: cases(100) },
    ))

  it('finds the last moment beyond a level as sampling does', () =>
    fc.assert(
      fc.property(anyLaw, anyStretch, anyLevel, anySide, (each, [from, to], level, side) => {
        fc.pre(!isBeyond(each.at(to), level, side))
        const found = lastBeyond(each, from, to, level, side)
        const seen = moments(from, to).findLast((ms) => isBeyond(each.at(ms), level, side))
        if (seen !== undefined) expect(found ?? Number.NEGATIVE_INFINITY).toBeGreaterThanOrEqual(seen)
        if (found !== undefined) expect(each.at(found)).toBeCloseTo(level, 6)
      }),
      { numRuns: cases(100) },
    ))
})

it('a search finds a peak just above the level with few looks, and passes one just below', () => {
  // A hump of 1 V over −1 V, at 500 ms.
  const hump = waveform({
    constant: -0.5,
    sines: [
      { amplitude: 1, radiansPerMs: DEGREE / 2, phase: -160 * DEGREE },
      { amplitude: 0.5, radiansPerMs: DEGREE, phase: -410 * DEGREE },
    ],
  })
  let looks = 0
  const curve: Curve = {
    at: (ms) => {
      looks++
      return hump.at(ms)
    },
    range: (from, to) => hump.range(from, to),
    slopes: (from, to) => hump.slopes(from, to),
  }
  const top = Math.max(...moments(300, 700, 100_000).map((ms) => hump.at(ms)))
  expect(firstBeyond(curve, 300, 700, top - 1e-8, 'above')).toBeDefined()
  expect(firstBeyond(curve, 300, 700, top + 1e-8, 'above')).toBeUndefined()
  expect(looks).toBeLessThan(500)
  looks = 0
  firstBeyond(curve, 300, 700, 5, 'above')
  expect(looks).toBe(0)
})
