import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import type { CircuitNode } from './analysis/circuit-node.ts'
import { type Branch, isReactive, type Source, Steady } from './branch.ts'
import { anyCoil, anyLoad, anyMotor, anyNoise, anySource, anyWave, nodeOf, singleNode } from './circuit.testkit.ts'
import { button, type Element, ntc, open, potentiometer, short } from './elements/index.ts'
import { Wiring } from './wiring.ts'

const anySources = fc.array(fc.oneof(anyWave(1, 1000), anyNoise, anySource), { minLength: 1, maxLength: 4 })
const anyReactive = fc.oneof(anyCoil, anyMotor)
const anyMoment = fc.nat({ max: 1e6 }).map((each) => each / 7)
const anyPassive = fc.oneof<fc.Arbitrary<Element>[]>(
  anyLoad,
  fc.constantFrom(short(), open(), button({ bounces: 0 }).with({ pressed: true }, 0)),
  fc.integer({ min: -55, max: 150 }).map((celsius) => ntc({ celsius })),
  fc.integer({ min: 0, max: 100 }).map((percent) => potentiometer({ ohms: 5000, highVolts: 0, position: percent / 100 })),
)
const branchesOf = (elements: readonly Element[]): Branch[] => elements.flatMap(({ branch }) => branch ?? [])
const sourcesOf = (elements: readonly Element[]): Source[] =>
  branchesOf(elements).filter((branch): branch is Source => !isReactive(branch))
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

describe('a node with any sources', () => {
  /** Expects that the effects of the sources add up. */
  function expectSuperposition(sources: readonly Source[], others: readonly Branch[], atMs: number, digits: number): void {
    const dead = (source: Source): Branch => new Steady({ volts: 0, ohms: source.theveninAt(0).ohms })
    const alone = sources.map((_, which) =>
      singleNode([...sources.map((source, index) => (index === which ? source : dead(source))), ...others]).voltsAt(atMs),
    )
    expect(singleNode([...sources, ...others]).voltsAt(atMs)).toBeCloseTo(sumOf(alone), digits)
  }

  it('adds up their effects at every moment (superposition)', () =>
    fc.assert(fc.property(anySources, anyMoment, (elements, atMs) => expectSuperposition(sourcesOf(elements), [], atMs, 8))))

  it('adds up their effects with coils and motors too', () =>
    // One period, so that no source counts by its mean.
    fc.assert(
      fc.property(anySource, anyWave(20, 20), anyCoil, anyMotor, anyMoment, (one, other, coil, motor, atMs) =>
        expectSuperposition(sourcesOf([one, other]), branchesOf([coil, motor]), atMs, 6),
      ),
    ))

  it('never rises with another load to ground', () =>
    fc.assert(
      fc.property(anySources, anyLoad, anyMoment, (elements, load, atMs) => {
        const before = nodeOf(...elements).voltsAt(atMs)
        expect(Math.abs(nodeOf(...elements, load).voltsAt(atMs))).toBeLessThanOrEqual(Math.abs(before) * (1 + 1e-12))
      }),
    ))

  it('stays within its bounds, also with a coil or a motor', () =>
    fc.assert(
      fc.property(anySources, fc.array(anyReactive, { maxLength: 1 }), anyMoment, (elements, reactive, atMs) => {
        const node = nodeOf(...elements, ...reactive)
        for (const [lowest, highest] of [node.bounds(), ...(reactive.length === 0 ? [node.extremes()] : [])]) {
          expect(node.voltsAt(atMs)).toBeGreaterThanOrEqual(lowest - 1e-9)
          expect(node.voltsAt(atMs)).toBeLessThanOrEqual(highest + 1e-9)
        }
      }),
    ))

  it('has currents that sum up to 0 (Kirchhoff)', () =>
    fc.assert(
      fc.property(anySources, anyMoment, (elements, atMs) => {
        const sources = sourcesOf(elements)
        const amounts = sources.map((source) => singleNode(sources).ampsFrom(source, atMs))
        expect(Math.abs(sumOf(amounts))).toBeLessThanOrEqual(1e-9 * (1 + Math.max(...amounts.map(Math.abs))))
      }),
    ))

  it('has the same voltage at a moment whatever was asked before, to the last digit', () =>
    fc.assert(
      fc.property(
        anySources,
        fc.array(anyReactive, { maxLength: 2 }),
        fc.array(anyMoment, { minLength: 3 }),
        (one, two, moments) => {
          const [ascending, shuffled] = [nodeOf(...one, ...two), nodeOf(...one, ...two)]
          const expected = new Map([...moments].sort((a, b) => a - b).map((atMs) => [atMs, ascending.voltsAt(atMs)]))
          for (const atMs of moments) expect(shuffled.voltsAt(atMs)).toBe(expected.get(atMs))
        },
      ),
      { numRuns: cases(20) },
    ))
})

describe('a passive element', () => {
  it('never delivers power (resistor, short, NTC, potentiometer, button)', () =>
    fc.assert(
      fc.property(anySources, anyPassive, anyMoment, (active, passive, atMs) => {
        const node: CircuitNode = nodeOf(...active, passive)
        for (const source of sourcesOf([passive]))
          expect(node.ampsFrom(source, atMs) * node.voltsAt(atMs)).toBeLessThanOrEqual(1e-12)
      }),
    ))

  it('leaves a node without sources at 0 V', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(anyPassive, anyReactive), { maxLength: 4 }), anyMoment, (elements, atMs) => {
        expect(nodeOf(...elements).voltsAt(atMs)).toBe(0)
      }),
    ))

  it('never delivers more energy than it received, through every change of the wiring (coil, motor)', async () => {
    const anyDriver = fc.constantFrom(
      { volts: 12.05, ohms: 3.1 },
      { volts: 5.15, ohms: 19 / 6 },
      { volts: 0, ohms: 1 },
      { volts: 0, ohms: 1_000_000 },
    )
    const anyChange = fc.record({ driver: anyDriver, joined: fc.boolean(), ms: fc.integer({ min: 1, max: 40 }) })
    const STEPS_PER_MS = 50
    await fc.assert(
      fc.asyncProperty(anyCoil, anyMotor, fc.array(anyChange, { minLength: 2, maxLength: 5 }), async (one, other, changes) => {
        const clock = new ManualClock()
        const wiring = new Wiring(clock)
        const terminal = wiring.terminal('3/1')
        terminal.drive(new Steady({ volts: 0, ohms: 1 }))
        wiring.connect('3/1', one)
        wiring.connect('3/2', other)
        let joule = 0
        let turnedOver = 0
        for (const { driver, joined, ms } of changes) {
          const driven = new Steady(driver)
          terminal.drive(driven)
          const wire = joined ? wiring.wire('3/1', '3/2') : undefined
          for (let step = 0; step < ms * STEPS_PER_MS; step++) {
            const atMs = clock.now() + (step + 0.5) / STEPS_PER_MS
            // The driver is the only other branch: all its power goes to them.
            const watt = terminal.voltsAt(atMs) * terminal.ampsAt(atMs)
            joule += watt / 1000 / STEPS_PER_MS
            turnedOver += Math.abs(watt) / 1000 / STEPS_PER_MS
          }
          expect(joule).toBeGreaterThanOrEqual(-1e-3 * turnedOver - 1e-9)
          await clock.advance(ms)
          wire?.disconnect()
        }
      }),
      { numRuns: cases(8) },
    )
  })
})
