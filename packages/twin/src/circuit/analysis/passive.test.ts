import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import type { Branch, Source, Thevenin } from '../branch.ts'
import { Steady } from '../branch.ts'
import { anyCoil, anyMotor, anyNoise, anySource, anyWave } from '../circuit.testkit.ts'
import type { Element } from '../elements/index.ts'
import { button, ntc, open, potentiometer, resistor, short } from '../elements/index.ts'
import { Wiring } from '../wiring.ts'
import { singleNode } from './circuit-node.ts'
import type { Reactive } from './reactive.ts'

const anyOhms = fc.integer({ min: 1, max: 100_000 })
const anyResistive = fc.oneof<fc.Arbitrary<Element>[]>(
  anyOhms.map((ohms) => resistor({ ohms })),
  fc.constant(short()),
  fc.constant(open()),
  fc.integer({ min: -55, max: 150 }).map((celsius) => ntc({ celsius })),
  fc
    .tuple(anyOhms, fc.integer({ min: 0, max: 100 }))
    .map(([ohms, percent]) => potentiometer({ ohms, highVolts: 0, position: percent / 100 })),
  fc.boolean().map((pressed) => button({ bounces: 0 }).with({ pressed }, 0)),
)
const anyActive = fc.array(fc.oneof(anyWave(1, 500), anyNoise, anySource), { minLength: 1, maxLength: 3 })
const anyMoment = fc.nat({ max: 100_000 }).map((each) => each / 7)

describe('a passive element', () => {
  it('never delivers power (resistor, short, NTC, potentiometer, button)', () =>
    fc.assert(
      fc.property(anyActive, anyResistive, anyMoment, (active, passive, atMs) => {
        if (passive.branch === undefined) return
        const node = singleNode([...active.map(({ branch }) => branch as Branch), passive.branch])
        // The power that it delivers is its current into the node times the node's voltage.
        expect(node.ampsFrom(passive.branch, atMs) * node.voltsAt(atMs)).toBeLessThanOrEqual(1e-12)
      }),
    ))

  it('leaves a node without sources at 0 V', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(anyResistive, anyCoil, anyMotor), { maxLength: 4 }), anyMoment, (each, atMs) => {
        const branches = each.flatMap(({ branch }) => branch ?? [])
        expect(singleNode(branches).voltsAt(atMs)).toBe(0)
      }),
    ))

  it('cannot lift a node above its highest source or below its lowest, except for coils', () =>
    fc.assert(
      fc.property(anyActive, fc.array(anyResistive, { maxLength: 3 }), anyMoment, (active, passive, atMs) => {
        const sources = active.map(({ branch }) => branch as Source)
        const volts = sources.flatMap((source) => source.extremes.map((equivalent) => equivalent.volts))
        const node = singleNode([...sources, ...passive.flatMap(({ branch }) => branch ?? [])])
        expect(node.voltsAt(atMs)).toBeLessThanOrEqual(Math.max(0, ...volts) + 1e-9)
        expect(node.voltsAt(atMs)).toBeGreaterThanOrEqual(Math.min(0, ...volts) - 1e-9)
      }),
    ))
})

describe('the energy of coils and motors on a pin with changing drivers', () => {
  const anyDriver: fc.Arbitrary<Thevenin> = fc.constantFrom(
    { volts: 12.05, ohms: 3.1 },
    { volts: 5.15, ohms: 19 / 6 },
    { volts: 0, ohms: 1 },
    { volts: 0, ohms: 1_000_000 },
  )
  const anyChange = fc.record({ driver: anyDriver, joined: fc.boolean(), ms: fc.integer({ min: 1, max: 40 }) })
  const STEPS_PER_MS = 50

  it('never exceeds what they received, through every change of the wiring', async () =>
    fc.assert(
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
          const { node } = terminal
          const fromMs = clock.now()
          for (let step = 0; step < ms * STEPS_PER_MS; step++) {
            const atMs = fromMs + (step + 0.5) / STEPS_PER_MS
            // The driver is the only other branch: all its power goes to them.
            const watt = node.voltsAt(atMs) * node.ampsFrom(driven, atMs)
            joule += watt / 1000 / STEPS_PER_MS
            turnedOver += Math.abs(watt) / 1000 / STEPS_PER_MS
          }
          expect(joule).toBeGreaterThanOrEqual(-1e-3 * turnedOver - 1e-9)
          await clock.advance(ms)
          wire?.disconnect()
        }
      }),
      { numRuns: cases(8) },
    ))
})

it('superposition holds with coils and motors on the node: the effects of the sources add up at every moment', () => {
  const ports = fc.tuple(anyCoil, anyMotor).map((each) => each.map(({ branch }) => branch as Reactive))
  const dead = (source: Source, atMs: number): Branch => new Steady({ volts: 0, ohms: source.theveninAt(atMs).ohms })
  // One period each, so that no source counts by its mean.
  const sources = fc.tuple(anySource, anyWave(20, 20)).map((each) => each.map(({ branch }) => branch as Source))
  fc.assert(
    fc.property(sources, ports, anyMoment, (each, reactive, atMs) => {
      const alone = each.map((_, which) =>
        singleNode([...each.map((one, index) => (index === which ? one : dead(one, atMs))), ...reactive]).voltsAt(atMs),
      )
      expect(singleNode([...each, ...reactive]).voltsAt(atMs)).toBeCloseTo(
        alone.reduce((sum, volts) => sum + volts, 0),
        6,
      )
    }),
  )
})
