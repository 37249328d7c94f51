import { describe, expect, it } from 'vitest'
import { voltageRange } from '../../bench/voltage-range.ts'
import type { CircuitNode } from '../analysis/circuit-node.ts'
import { type Branch, type Source, Steady } from '../branch.ts'
import { singleNode } from '../circuit.testkit.ts'
import { coil, type Element, motor, squareWave } from './index.ts'

/** A node at which `element` is on a source for a time, then on another one. */
function switched(element: Element, onMs: number, on: Source, off: Source): CircuitNode {
  const load = element.branch as Branch
  const before = singleNode([on, load])
  return singleNode([off, load], { fromMs: onMs, of: (port) => before.stateOf(port, onMs) })
}

const stiff = (volts: number): Source => new Steady({ volts, ohms: 1e-6 })
const input = new Steady({ volts: 0, ohms: 1_000_000 })

describe('a coil of 100 Ω and 0.2 H', () => {
  const relay = coil({ ohms: 100, henry: 0.2 })

  it('draws 60 mA × (1 − e^(−t / 1 ms)) behind 100 Ω on 12 V', () => {
    const source = new Steady({ volts: 12, ohms: 100 })
    const node = singleNode([source, relay.branch as Branch])
    // 0.2 H / 200 Ω = 1 ms; the losses across it, 100 kΩ, take 0.1 % of the current.
    for (const atMs of [0, 0.5, 1, 3, 10]) expect(node.ampsFrom(source, atMs)).toBeCloseTo(0.06 * (1 - Math.exp(-atMs)), 3)
    expect(node.ampsFrom(source, 100)).toBeCloseTo(0.06, 12)
  })

  it('kicks back when it is switched off: 60 mA through 400 Ω make −24 V, which decay with 0.2 H / 500 Ω', () => {
    const off = switched(relay, 100, new Steady({ volts: 12, ohms: 100 }), new Steady({ volts: 0, ohms: 400 }))
    for (const ms of [0, 0.2, 0.4, 1]) expect(off.voltsAt(100 + ms)).toBeCloseTo(-24 * Math.exp(-ms / 0.4), 0)
    expect(off.voltsAt(200)).toBeCloseTo(0, 9)
  })

  it('kicks back no higher than its suppression allows: 48 mA of its winding of 125 Ω through 500 Ω', () =>
    expect(switched(coil({ ohms: 100, henry: 0.2, suppression: 5 }), 1000, stiff(6), input).voltsAt(1000)).toBeCloseTo(-24, 0))

  it.each([
    ['40 V below ground without any suppression', 0, 12, -40],
    ['40 V above ground', 0, -12, 40],
    ['the voltage of its other end, if that is higher', 100, 12, 100],
  ])('kicks back no further than the clamp of an input allows: %s', (_, volts, drive, clamped) => {
    const off = switched(coil({ ohms: 100, henry: 0.2, volts }), 1000, stiff(drive), input)
    expect(off.voltsAt(1000)).toBe(clamped)
    expect(voltageRange(off, 1000, 1001)).toContain(clamped)
    expect(off.voltsAt(2000)).toBeCloseTo(volts, 0)
  })

  it('may give the voltage that it kicks back now, and the one after it has settled', () => {
    const off = switched(relay, 100, new Steady({ volts: 12, ohms: 100 }), new Steady({ volts: 0, ohms: 400 }))
    expect(off.extremes()).toEqual([expect.closeTo(-24, 0), 0])
  })

  it('counts sources that are too fast for it by their mean: 12 V × ½ through 50 Ω and 100 Ω', () => {
    const fast = [1_000_000, 770_000].map((hz) => squareWave(hz, { lowVolts: 0, highVolts: 12, ohms: 100 }).branch as Source)
    const node = singleNode([...fast, relay.branch as Branch])
    const volts = Array.from({ length: 1000 }, (_, index) => node.voltsAt(1000 + index * 1e-4 + 3e-5))
    // Both high, one high, or none: 12, 6 or 0 V behind 50 Ω, reduced by 2 V by the coil's 40 mA.
    for (const expected of [10, 4, -2]) expect(volts.some((each) => Math.abs(each - expected) < 0.02)).toBe(true)
  })
})

describe('a motor of 120 Ω that draws 5 times as much at first', () => {
  it.each([
    ['0.1 A + 0.4 A × e^(−t / 200 ms) on a stiff 12 V', 0, [0, 50, 200, 600, 5000], 6],
    ['the same a little later if its winding has inductance', 0.002, [5, 50, 200, 600, 5000], 3],
  ])('draws %s', (_, henry, moments, digits) => {
    const source = stiff(12)
    const node = singleNode([source, motor({ ohms: 120, henry }).branch as Branch])
    for (const atMs of moments) expect(node.ampsFrom(source, atMs)).toBeCloseTo(0.1 + 0.4 * Math.exp(-atMs / 200), digits)
  })

  it('is a source while it runs down: 9.6 V, which decay with 1 s', () => {
    const off = switched(motor({ ohms: 120, henry: 0 }), 10_000, stiff(12), input)
    // Winding 24 Ω, friction 96 Ω: the emf is 96/120 of 12 V. The rotor, 200 ms / (24 Ω ∥ 96 Ω), runs down through its friction only.
    for (const ms of [0, 500, 1000, 3000]) expect(off.voltsAt(10_000 + ms)).toBeCloseTo(9.6 * Math.exp(-ms / 1000), 2)
  })
})
