import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import { voltageRange } from '../../bench/voltage-range.ts'
import { type CircuitNode, singleNode } from '../analysis/circuit-node.ts'
import type { Reactive } from '../analysis/reactive.ts'
import type { Branch, Source } from '../branch.ts'
import { isReactive, Steady } from '../branch.ts'
import { anyCoil, anyMotor } from '../circuit.testkit.ts'
import type { Element } from './index.ts'
import { coil, motor, squareWave } from './index.ts'

function portOf(element: Element): Reactive {
  const { branch } = element
  if (branch === undefined || !isReactive(branch)) throw new Error(`${element.kind} has no states`)
  return branch
}

/** Current into the element at a moment, in ampere. */
const into = (node: CircuitNode, port: Reactive, atMs: number): number => -node.ampsFrom(port, atMs)

/** The node after a change at a moment, with the same coils and motors. */
function after(node: CircuitNode, atMs: number, branches: readonly Branch[]): CircuitNode {
  return singleNode(branches, { fromMs: atMs, of: (port) => node.stateOf(port, atMs) })
}

describe('a coil of 100 Ω and 0.2 H', () => {
  const port = portOf(coil({ ohms: 100, henry: 0.2 }))

  it('draws 60 mA × (1 − e^(−t / 1 ms)) behind 100 Ω on 12 V', () => {
    const node = singleNode([new Steady({ volts: 12, ohms: 100 }), port])
    // 0.2 H / 200 Ω = 1 ms; the losses across it, 100 kΩ, take 0.1 % of the current.
    for (const atMs of [0, 0.5, 1, 3, 10]) expect(into(node, port, atMs)).toBeCloseTo(0.06 * (1 - Math.exp(-atMs)), 3)
    expect(into(node, port, 100)).toBeCloseTo(0.06, 12)
  })

  it('raises its node to the full voltage when it is switched on, which then falls to half', () => {
    const node = singleNode([new Steady({ volts: 12, ohms: 100 }), port])
    expect(node.voltsAt(0)).toBeCloseTo(12, 1)
    expect(node.voltsAt(1)).toBeCloseTo(12 - 100 * 0.06 * (1 - Math.exp(-1)), 1)
    expect(node.voltsAt(100)).toBeCloseTo(6, 9)
  })

  it('kicks back when it is switched off: 60 mA through 400 Ω make −24 V, which decay with 0.2 H / 500 Ω', () => {
    const on = singleNode([new Steady({ volts: 12, ohms: 100 }), port])
    const off = after(on, 100, [new Steady({ volts: 0, ohms: 400 }), port])
    for (const ms of [0, 0.2, 0.4, 1]) expect(off.voltsAt(100 + ms)).toBeCloseTo(-24 * Math.exp(-ms / 0.4), 0)
    expect(off.voltsAt(100)).toBeCloseTo(-24, 0)
    expect(off.voltsAt(200)).toBeCloseTo(0, 9)
  })

  it('kicks back no higher than its suppression allows: 5 times its voltage', () => {
    const tame = portOf(coil({ ohms: 100, henry: 0.2, suppression: 5 }))
    const on = singleNode([new Steady({ volts: 6, ohms: 0.001 }), tame])
    const off = after(on, 1000, [new Steady({ volts: 0, ohms: 1_000_000 }), tame])
    // 1 / (1/100 − 1/500) = 125 Ω of winding carry 48 mA, which then flow through the 500 Ω.
    expect(off.voltsAt(1000)).toBeCloseTo(-24, 0)
    const wild = after(on, 1000, [new Steady({ volts: 0, ohms: 1_000_000 }), portOf(coil({ ohms: 100, henry: 0.2 }))])
    expect(wild.voltsAt(1000)).toBeCloseTo(0, 9)
  })

  it.each([
    ['40 V below ground without any suppression', 0, 12, -40],
    ['40 V above ground', 0, -12, 40],
    ['the voltage of its other end, if that is higher', 100, 12, 100],
  ])('kicks back no further than the clamp of an input allows: %s', (_, volts, drive, clamped) => {
    const wild = portOf(coil({ ohms: 100, henry: 0.2, volts }))
    const on = singleNode([new Steady({ volts: drive, ohms: 0.001 }), wild])
    const off = after(on, 1000, [new Steady({ volts: 0, ohms: 1_000_000 }), wild])
    expect(off.voltsAt(1000)).toBe(clamped)
    expect(voltageRange(off, 1000, 1001)).toContain(clamped)
    expect(off.voltsAt(2000)).toBeCloseTo(volts, 0)
  })

  it('pulls its node to its voltage: 24 V through 100 Ω against 300 Ω to ground', () => {
    const upper = portOf(coil({ ohms: 100, henry: 0.2, volts: 24 }))
    expect(singleNode([new Steady({ volts: 0, ohms: 300 }), upper]).voltsAt(1000)).toBeCloseTo(18, 9)
  })

  it('follows the mean of a PWM of 1 kHz, with a ripple of (12 V − 6 V) × 0.5 ms / 0.2 H = 15 mA', () => {
    const pwm = squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 12 }).branch as Source
    const node = singleNode([pwm, port])
    const [least, most] = [node.ampsFrom(port, 1000), node.ampsFrom(port, 1000.4999)].map((amps) => -amps)
    expect(((least ?? 0) + (most ?? 0)) / 2).toBeCloseTo(0.06, 3)
    // The exact ripple of a coil of 2 ms: 0.12 A × (1 − e^−¼)² / (1 − e^−½).
    expect((most ?? 0) - (least ?? 0)).toBeCloseTo((0.12 * (1 - Math.exp(-0.25)) ** 2) / (1 - Math.exp(-0.5)), 3)
  })
})

describe('a motor of 120 Ω that draws 5 times as much at first', () => {
  it('draws 0.1 A + 0.4 A × e^(−t / 200 ms) on a stiff 12 V', () => {
    const port = portOf(motor({ ohms: 120, henry: 0 }))
    const node = singleNode([new Steady({ volts: 12, ohms: 1e-6 }), port])
    for (const atMs of [0, 50, 200, 600, 5000]) expect(into(node, port, atMs)).toBeCloseTo(0.1 + 0.4 * Math.exp(-atMs / 200), 6)
  })

  it('draws the same a little later if its winding has inductance', () => {
    const port = portOf(motor({ ohms: 120 }))
    const node = singleNode([new Steady({ volts: 12, ohms: 1e-6 }), port])
    // 2 mH / 24 Ω = 83 µs.
    expect(into(node, port, 0)).toBeCloseTo(0, 3)
    expect(into(node, port, 0.0833)).toBeCloseTo(0.5 * (1 - Math.exp(-1)), 2)
    for (const atMs of [5, 50, 200, 600, 5000]) expect(into(node, port, atMs)).toBeCloseTo(0.1 + 0.4 * Math.exp(-atMs / 200), 3)
  })

  it('is a source while it runs down: 9.6 V, which decay with 1 s', () => {
    const port = portOf(motor({ ohms: 120, henry: 0 }))
    const on = singleNode([new Steady({ volts: 12, ohms: 1e-6 }), port])
    const off = after(on, 10_000, [new Steady({ volts: 0, ohms: 1_000_000 }), port])
    // Winding 24 Ω, friction 96 Ω: the emf is 96/120 of 12 V. The rotor, 200 ms / (24 Ω ∥ 96 Ω), runs down through its friction only.
    for (const ms of [0, 500, 1000, 3000]) expect(off.voltsAt(10_000 + ms)).toBeCloseTo(9.6 * Math.exp(-ms / 1000), 2)
  })

  it('draws the current of the mean voltage of a PWM: 6 V − 4.8 V across its winding', () => {
    const port = portOf(motor({ ohms: 120, henry: 0.1 }))
    const pwm = squareWave({ frequencyHz: 10_000, lowVolts: 0, highVolts: 12 }).branch as Source
    const node = singleNode([pwm, port])
    const amps = Array.from({ length: 100 }, (_, index) => into(node, port, 10_000 + index * 0.001 + 0.0005))
    expect(amps.reduce((sum, each) => sum + each, 0) / 100).toBeCloseTo(0.05, 3)
    // ± (12 V − 6 V) × 50 µs / 0.1 H / 2.
    expect(Math.max(...amps)).toBeCloseTo(0.0515, 3)
    expect(Math.min(...amps)).toBeCloseTo(0.0485, 3)
  })
})

describe('the energy of a coil or a motor', () => {
  const anyLoad = fc.oneof(anyCoil, anyMotor).map(portOf)
  const anySteady = fc
    .record({ volts: fc.integer({ min: -24, max: 24 }), ohms: fc.integer({ min: 1, max: 2000 }) })
    .map((equivalent) => new Steady(equivalent))

  /** Energy stored in a port, in joule. */
  const stored = (node: CircuitNode, port: Reactive, atMs: number): number =>
    (node.stateOf(port, atMs) ?? []).reduce((sum, value, index) => sum + (port.weights[index] ?? 0) * value * value, 0) / 2

  it('never grows without a source', () =>
    fc.assert(
      fc.property(anyLoad, anyLoad, anySteady, fc.integer({ min: 1, max: 2000 }), (one, two, feeding, ohms) => {
        const fed = singleNode([feeding, one, two])
        const left = after(fed, 50, [new Steady({ volts: 0, ohms }), one, two])
        let before = Number.POSITIVE_INFINITY
        for (let atMs = 50; atMs < 500; atMs += 7) {
          const now = stored(left, one, atMs) + stored(left, two, atMs)
          expect(now).toBeLessThanOrEqual(before * (1 + 1e-9) + 1e-15)
          before = now
        }
      }),
      { numRuns: cases(6) },
    ))

  it('never exceeds what it received', () => {
    const STEP_MS = 0.01
    fc.assert(
      fc.property(anyLoad, fc.array(anySteady, { minLength: 2, maxLength: 4 }), (port, sources) => {
        let node: CircuitNode | undefined
        let joule = 0
        let turnedOver = 0
        for (const [index, source] of sources.entries()) {
          const fromMs = index * 10
          node = node === undefined ? singleNode([source, port]) : after(node, fromMs, [source, port])
          for (let atMs = fromMs + STEP_MS / 2; atMs < fromMs + 10; atMs += STEP_MS) {
            const watt = node.voltsAt(atMs) * into(node, port, atMs)
            joule += (watt * STEP_MS) / 1000
            turnedOver += (Math.abs(watt) * STEP_MS) / 1000
            expect(joule).toBeGreaterThanOrEqual(-0.02 * turnedOver)
          }
        }
      }),
      { numRuns: cases(4) },
    )
  })
})
