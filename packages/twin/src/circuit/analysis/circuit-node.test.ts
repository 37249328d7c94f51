import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Branch } from '../branch.ts'
import { singleNode } from '../circuit.testkit.ts'
import { coil, noise, resistor, sineWave, squareWave, triangleWave } from '../elements/index.ts'
import { CrossingSearch, LOOK_AHEAD_EDGES } from '../events/crossing-search.ts'
import { Alternation } from '../wave/wave.ts'

const PICO = 12
const ALL = Number.POSITIVE_INFINITY
const own = (volts: number): number => volts

it('a node has 0 V without branches', () => expect(singleNode([]).voltsAt(0)).toBe(0))

describe('a node with a square wave', () => {
  const wave = squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, duty: 0.3 }).branch as Alternation
  const node = singleNode([wave])

  it('is high for the duty of each period from its start on, and low for the rest', () =>
    expect([0, 2.9, 3, 9.9, 10, 12.9, 13, -0.1].map((atMs) => node.voltsAt(atMs))).toEqual([5, 5, 0, 0, 5, 5, 0, 0]))

  it('computes its edges without walking to them', () => {
    expect([0, 3, 3_600_000].map((atMs) => node.edgeAfter(atMs))).toEqual([3, 10, 3_600_003])
    expect(node.edgeUpTo(9)).toBe(3)
  })

  it('has a mean according to its duty, and keeps its value for a mean over faster sources only', () => {
    expect(node.mean(1, ALL, own)).toBeCloseTo(1.5, PICO)
    expect([1, 4].map((atMs) => node.mean(atMs, 2, own))).toEqual([5, 0])
  })

  it('gives the same result at a computed edge, whatever the rounding', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 1e7, noNaN: true }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (frequencyHz, duty, fromMs) => {
          const alone = singleNode([squareWave({ frequencyHz, lowVolts: 0, highVolts: 1, duty }).branch as Alternation])
          const first = alone.edgeAfter(fromMs)
          const second = alone.edgeAfter(first)
          expect(first).toBeGreaterThan(fromMs)
          expect(second).toBeGreaterThan(first)
          expect(alone.voltsAt(first) + alone.voltsAt(second)).toBe(1)
          expect(alone.edgeUpTo(first)).toBe(first)
        },
      ),
    ))
})

describe('a node with several waves', () => {
  it('looks ahead a limited number of edges, then asks to search again', () => {
    const of = { lowVolts: 0, highVolts: 4, ohms: 100 }
    const node = singleNode([1000, 1].map((frequencyHz) => squareWave({ frequencyHz, ...of }).branch as Branch))
    const moment = new CrossingSearch(node, 0).next(1, 'below')
    expect(moment).toEqual({ found: false, atMs: LOOK_AHEAD_EDGES / 2 })
    expect(new CrossingSearch(node, moment.atMs).next(1, 'below')).toEqual({ found: true, atMs: 500.5 })
  })

  it('treats edges that differ only by rounding as one', () => {
    const third = squareWave({ frequencyHz: 3, lowVolts: 0, highVolts: 1, ohms: 1 }).branch as Alternation
    const { startMs, periodMs, highMs, high, low } = third
    const shifted = new Alternation({ startMs: startMs + 1e-10, periodMs, highMs }, high, low)
    const both = singleNode([third, shifted, resistor({ ohms: 1 }).branch as Branch])
    const edge = both.edgeAfter(100)
    expect(both.voltsAt(edge)).toBe(0)
    expect(both.edgeAfter(edge) - edge).toBeGreaterThan(100)
  })

  it('has narrower bounds while one of them shows one equivalent', () => {
    const square = squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 100 }).branch as Alternation
    const node = singleNode([square, sineWave({ frequencyHz: 70, lowVolts: 0, highVolts: 2, ohms: 100 }).branch as Branch])
    expect(node.bounds()).toEqual([0, expect.closeTo(3.5, 9)])
    expect(node.bounds({ source: square, equivalent: square.high })).toEqual([expect.closeTo(2.5, 9), expect.closeTo(3.5, 9)])
  })
})

describe('the mean of several fast sources', () => {
  const pwm = squareWave({ frequencyHz: 20_000, lowVolts: 0, highVolts: 5, duty: 0.3, ohms: 100 }).branch as Alternation
  const sine = sineWave({ frequencyHz: 1037, amplitudeVolts: 4, offsetVolts: 1, ohms: 200 }).branch as Branch
  const triangle = triangleWave({ frequencyHz: 1711, lowVolts: -2, highVolts: 5, duty: 0.2, ohms: 300 }).branch as Branch
  const bursts = squareWave({ frequencyHz: 777, lowVolts: -1, highVolts: 4, duty: 0.9, ohms: 150 }).branch as Branch
  const hiss = noise({ frequencyHz: 9001, lowVolts: -3, highVolts: 4, ohms: 250, seed: 1 }).branch as Branch
  const driver = new Alternation({ startMs: 0, periodMs: 1 / 31, highMs: 0.6 / 31 }, { volts: 5, ohms: 3 }, { volts: 0, ohms: 1 })
  const load = resistor({ ohms: 100 }).branch as Branch
  const relay = coil({ ohms: 100, henry: 0.005 }).branch as Branch

  it.each<[string, Branch[]]>([
    ['a pwm, a sine and a triangle', [pwm, sine, triangle, load]],
    ['five sources', [pwm, sine, triangle, bursts, hiss]],
    ['a pwm, a sine and a coil', [pwm, sine, relay]],
    ['a driver with two resistances and a sine', [driver, sine, load]],
    ['a driver with two resistances, a sine and a coil', [driver, sine, relay]],
  ])('is that of many samples, for the voltage and for the amount of a current: %s', (_, branches) => {
    const node = singleNode(branches)
    const amount = (volts: number): number => Math.abs(volts - 1)
    const samples = Array.from({ length: 60_000 }, (_unused, index) => node.voltsAt(1000 + index * 0.014_987_3))
    const sampled = (of: (volts: number) => number): number => samples.reduce((sum, volts) => sum + of(volts), 0) / samples.length
    expect(node.mean(1000, 2, own) / sampled(own)).toBeCloseTo(1, 2)
    expect(node.mean(1000, 2, amount) / sampled(amount)).toBeCloseTo(1, 1)
  })

  it('is exact if nothing but voltages change', () => {
    const siemens = 1 / 100 + 1 / 200 + 1 / 300 + 1 / 100
    const exact = (1.5 / 100 + 1 / 200 + 1.5 / 300) / siemens
    for (const atMs of [0, 17.3, 3_600_000.1])
      expect(singleNode([pwm, sine, triangle, load]).mean(atMs, 2, own)).toBeCloseTo(exact, 6)
  })
})
