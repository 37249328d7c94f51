import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Branch, Source, Thevenin } from '../branch.ts'
import { Steady } from '../branch.ts'
import { anyCoil, anyLoad, anyMotor, anyNoise, anySource, anyWave, nodeOf } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'
import { coil, noise, resistor, sineWave, squareWave, triangleWave } from '../elements/index.ts'
import { CrossingSearch, LOOK_AHEAD_EDGES, NEVER } from '../events/crossing-search.ts'
import { Alternation } from '../wave/alternation.ts'
import { singleNode } from './circuit-node.ts'

const equivalent: fc.Arbitrary<Thevenin> = fc.record({
  volts: fc.double({ min: -50, max: 50, noNaN: true }),
  ohms: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
})
const equivalents = fc.array(equivalent, { minLength: 1, maxLength: 6 })
const PICO = 12

function steady(of: readonly Thevenin[]): Branch[] {
  return of.map((each) => new Steady(each))
}

describe('a steady node', () => {
  it('has 0 V without branches', () => expect(singleNode([]).voltsAt(0)).toBe(0))

  it('divides 5 V behind 1 kΩ against 4 kΩ to ground to 4 V, with 1 mA', () => {
    const upper = new Steady({ volts: 5, ohms: 1000 })
    const node = singleNode([upper, new Steady({ volts: 0, ohms: 4000 })])
    expect(node.voltsAt(0)).toBeCloseTo(4, PICO)
    expect(node.ampsFrom(upper, 0)).toBeCloseTo(0.001, PICO)
  })

  it('has currents that sum up to 0 (Kirchhoff)', () =>
    fc.assert(
      fc.property(equivalents, (each) => {
        const branches = steady(each)
        const node = singleNode(branches)
        const amounts = branches.map((branch) => node.ampsFrom(branch, 0))
        const largest = Math.max(...amounts.map(Math.abs))
        expect(Math.abs(amounts.reduce((sum, amps) => sum + amps, 0))).toBeLessThanOrEqual(1e-9 * (1 + largest))
      }),
    ))

  it('adds up the effects of its sources (superposition)', () =>
    fc.assert(
      fc.property(equivalents, (branches) => {
        const alone = branches.map((_, which) =>
          singleNode(steady(branches.map(({ volts, ohms }, index) => ({ volts: index === which ? volts : 0, ohms })))).voltsAt(0),
        )
        expect(singleNode(steady(branches)).voltsAt(0)).toBeCloseTo(
          alone.reduce((sum, volts) => sum + volts, 0),
          8,
        )
      }),
    ))

  it('never rises with another load to ground', () =>
    fc.assert(
      fc.property(equivalents, fc.double({ min: 0.1, max: 1e6, noNaN: true }), (branches, ohms) => {
        const before = singleNode(steady(branches)).voltsAt(0)
        const after = singleNode(steady([...branches, { volts: 0, ohms }])).voltsAt(0)
        expect(Math.abs(after)).toBeLessThanOrEqual(Math.abs(before) * (1 + 1e-12))
      }),
    ))

  it('stays between its extremes for any sources', () => {
    const source = fc.record({ frequencyHz: fc.integer({ min: 1, max: 1000 }), volts: fc.integer({ min: -20, max: 20 }) })
    fc.assert(
      fc.property(
        equivalents,
        fc.array(source, { maxLength: 10 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (still, sources, atMs) => {
          const waves = sources.map(({ frequencyHz, volts }) =>
            squareWave({ frequencyHz, lowVolts: 0, highVolts: volts, ohms: 50 }),
          )
          const node = singleNode([...steady(still), ...waves.map((wave) => wave.branch as Branch)])
          const [lowest, highest] = node.extremes()
          expect(node.voltsAt(atMs)).toBeGreaterThanOrEqual(lowest - 1e-9)
          expect(node.voltsAt(atMs)).toBeLessThanOrEqual(highest + 1e-9)
        },
      ),
    )
  })
})

describe('a node with a square wave', () => {
  const wave = squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, duty: 0.3 }).branch as Alternation
  const node = singleNode([wave])

  it('is high for the duty of each period from its start on, and low for the rest', () =>
    expect([0, 2.9, 3, 9.9, 10, 12.9, 13, -0.1].map((atMs) => node.voltsAt(atMs))).toEqual([5, 5, 0, 0, 5, 5, 0, 0]))

  it('computes its edges without walking to them', () => {
    expect(node.edgeAfter(0)).toBe(3)
    expect(node.edgeAfter(3)).toBe(10)
    expect(node.edgeAfter(3_600_000)).toBe(3_600_003)
    expect(node.edgeUpTo(9)).toBe(3)
  })

  it('finds the next moment of a voltage, or NEVER', () => {
    expect(new CrossingSearch(node, 1).next(4, 'above')).toEqual({ found: true, atMs: 10 })
    expect(new CrossingSearch(node, 1).next(5, 'above')).toEqual(NEVER)
  })

  it('has a mean according to its duty', () =>
    expect(node.mean(1, Number.POSITIVE_INFINITY, (volts) => volts)).toBeCloseTo(1.5, PICO))

  it('keeps its value for a mean over faster sources only', () => {
    expect(node.mean(1, 2, (volts) => volts)).toBe(5)
    expect(node.mean(4, 2, (volts) => volts)).toBe(0)
  })

  it('begins its high part earlier by its phase', () => {
    const early = singleNode([
      squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, phaseDegrees: 90 }).branch as Alternation,
    ])
    expect([2.4, 2.5, 7.4, 7.5].map((atMs) => early.voltsAt(atMs))).toEqual([5, 0, 0, 5])
  })

  it('swings around its offset by its amplitude', () => {
    const around = singleNode([squareWave({ frequencyHz: 1, amplitudeVolts: 2, offsetVolts: 1 }).branch as Alternation])
    expect(around.extremes()).toEqual([-1, 3])
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

describe('a node with several square waves', () => {
  const fast = squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 4, ohms: 100 }).branch as Alternation
  const slow = squareWave({ frequencyHz: 1, lowVolts: 0, highVolts: 4, ohms: 100 }).branch as Alternation
  const node = singleNode([fast, slow])

  it('alternates between 0, half and all of the voltage', () =>
    expect([0, 0.5, 500, 500.5].map((atMs) => node.voltsAt(atMs))).toEqual([4, 2, 2, 0]))

  it('looks ahead a limited number of edges, then asks to search again', () => {
    const moment = new CrossingSearch(node, 0).next(1, 'below')
    expect(moment.found).toBe(false)
    expect(moment.atMs).toBe(LOOK_AHEAD_EDGES / 2)
    expect(new CrossingSearch(node, moment.atMs).next(1, 'below')).toEqual({ found: true, atMs: 500.5 })
  })

  it('estimates its mean to about one percent', () => {
    expect(node.mean(0, Number.POSITIVE_INFINITY, (volts) => volts)).toBeCloseTo(2, 1)
    expect(node.mean(0, 2, (volts) => volts)).toBeCloseTo(3, PICO)
  })

  it('treats edges that differ only by rounding as one', () => {
    const third = squareWave({ frequencyHz: 3, lowVolts: 0, highVolts: 1, ohms: 1 }).branch as Alternation
    const shifted = new Alternation(
      { startMs: third.startMs + 1e-10, periodMs: third.periodMs, highMs: third.highMs },
      third.high,
      third.low,
    )
    const both = singleNode([third, shifted, resistor({ ohms: 1 }).branch as Branch])
    const edge = both.edgeAfter(100)
    expect(both.voltsAt(edge)).toBe(0)
    expect(both.edgeAfter(edge) - edge).toBeGreaterThan(100)
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
    ['a pwm and a sine', [pwm, sine, load]],
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
    expect(node.mean(1000, 2, (volts) => volts) / sampled((volts) => volts)).toBeCloseTo(1, 2)
    expect(node.mean(1000, 2, amount) / sampled(amount)).toBeCloseTo(1, 1)
  })

  it('is exact if nothing but voltages change', () => {
    const node = singleNode([pwm, sine, triangle, load])
    const siemens = 1 / 100 + 1 / 200 + 1 / 300 + 1 / 100
    for (const atMs of [0, 17.3, 3_600_000.1])
      expect(node.mean(atMs, 2, (volts) => volts)).toBeCloseTo((1.5 / 100 + 1 / 200 + 1.5 / 300) / siemens, 6)
  })
})

describe('a node with any sources', () => {
  const sources = fc.array(fc.oneof(anyWave(1, 1000), anyNoise, anySource), { minLength: 1, maxLength: 4 })
  const moment = fc.nat({ max: 1e6 }).map((each) => each / 7)
  const branchesOf = (elements: readonly Element[]): Branch[] => elements.map((element) => element.branch as Branch)
  const dead = (source: Branch): Branch => new Steady({ volts: 0, ohms: (source as Source).theveninAt(0).ohms })

  it('adds up the effects of its sources at every moment (superposition)', () =>
    fc.assert(
      fc.property(sources, moment, (elements, atMs) => {
        const branches = branchesOf(elements)
        const alone = branches.map((_, which) =>
          singleNode(branches.map((branch, index) => (index === which ? branch : dead(branch)))).voltsAt(atMs),
        )
        expect(singleNode(branches).voltsAt(atMs)).toBeCloseTo(
          alone.reduce((sum, volts) => sum + volts, 0),
          8,
        )
      }),
    ))

  it('never rises with another load to ground, at any moment', () =>
    fc.assert(
      fc.property(sources, anyLoad, moment, (elements, load, atMs) => {
        const before = nodeOf(...elements).voltsAt(atMs)
        expect(Math.abs(nodeOf(...elements, load).voltsAt(atMs))).toBeLessThanOrEqual(Math.abs(before) * (1 + 1e-12))
      }),
    ))

  it('stays within its bounds, also with a coil or a motor', () => {
    const reactive = fc.option(fc.oneof(anyCoil, anyMotor), { nil: undefined })
    fc.assert(
      fc.property(sources, reactive, moment, (elements, extra, atMs) => {
        const node = nodeOf(...elements, ...(extra === undefined ? [] : [extra]))
        const [lowest, highest] = node.bounds()
        expect(node.voltsAt(atMs)).toBeGreaterThanOrEqual(lowest - 1e-9)
        expect(node.voltsAt(atMs)).toBeLessThanOrEqual(highest + 1e-9)
      }),
    )
  })

  it('has narrower bounds while one source shows one equivalent', () => {
    const square = squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 100 }).branch as Alternation
    const sine = sineWave({ frequencyHz: 70, lowVolts: 0, highVolts: 2, ohms: 100 }).branch as Branch
    const node = singleNode([square, sine])
    expect(node.bounds()).toEqual([0, expect.closeTo(3.5, 9)])
    expect(node.bounds({ source: square, equivalent: square.high })).toEqual([expect.closeTo(2.5, 9), expect.closeTo(3.5, 9)])
  })

  it('has currents that sum up to 0 (Kirchhoff), coils and motors included', () =>
    fc.assert(
      fc.property(sources, anyCoil, anyMotor, moment, (elements, oneCoil, oneMotor, atMs) => {
        const branches = branchesOf([...elements, oneCoil, oneMotor])
        const node = singleNode(branches)
        const amounts = branches.map((branch) => node.ampsFrom(branch, atMs))
        const largest = Math.max(...amounts.map(Math.abs))
        expect(Math.abs(amounts.reduce((sum, amps) => sum + amps, 0))).toBeLessThanOrEqual(1e-9 * (1 + largest))
      }),
    ))
})
