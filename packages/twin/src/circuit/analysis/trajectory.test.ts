import { describe, expect, it } from 'vitest'
import type { Source } from '../branch.ts'
import { isReactive, Steady } from '../branch.ts'
import { Contacts } from '../elements/contacts.ts'
import type { Element } from '../elements/index.ts'
import { coil, motor, noise, sineWave, squareWave, triangleWave } from '../elements/index.ts'
import { type CircuitNode, singleNode } from './circuit-node.ts'
import type { Physical } from './stepped.testkit.ts'
import { steppedVolts } from './stepped.testkit.ts'

/** 100 Ω as an ohmmeter shows it, and 1000 times as much across it: the winding is 1 / (1/100 − 1/100 000) Ω. */
const relay = { element: coil({ ohms: 100, henry: 0.2 }), physical: physicalCoil(100, 0.2) }
const other = { element: coil({ ohms: 50, henry: 0.3 }), physical: physicalCoil(50, 0.3) }
const fan = {
  element: motor({ ohms: 120, startUpMultiple: 4, startUpMs: 30, henry: 0.01 }),
  physical: physicalMotor(120, 4, 30, 0.01),
}

function physicalCoil(ohms: number, henry: number): Physical {
  return { kind: 'coil', windingOhms: 1 / (1 / ohms - 1 / (1000 * ohms)), henry, acrossOhms: 1000 * ohms }
}

/** At standstill it is ohms / multiple, running ohms; the emf rises with the time constant farad × (winding ∥ friction). */
function physicalMotor(ohms: number, multiple: number, ms: number, henry: number): Physical {
  const acrossOhms = 1000 * ohms
  const windingOhms = 1 / (multiple / ohms - 1 / acrossOhms)
  const frictionOhms = 1 / (1 / ohms - 1 / acrossOhms) - windingOhms
  const parallelOhms = (windingOhms * frictionOhms) / (windingOhms + frictionOhms)
  return { kind: 'motor', windingOhms, henry, acrossOhms, frictionOhms, farad: ms / 1000 / parallelOhms }
}

const driver = new Steady({ volts: 12, ohms: 3 })
const pwm = sourceOf(squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 12, ohms: 3, duty: 0.4 }))
const slowSquare = sourceOf(squareWave({ frequencyHz: 12.5, lowVolts: -3, highVolts: 5, ohms: 40 }))
const sine = sourceOf(sineWave({ frequencyHz: 35, lowVolts: -8, highVolts: 8, ohms: 20, phaseDegrees: 77 }))
const triangle = sourceOf(triangleWave({ frequencyHz: 25, lowVolts: 0, highVolts: 9, ohms: 30, duty: 0.25 }))
const rustle = sourceOf(noise({ frequencyHz: 200, lowVolts: -5, highVolts: 5, ohms: 25, seed: 3 }))
const contact = new Contacts({ volts: 24, ohms: 50 }, false, [5, 7, 8, 30, 31])

function sourceOf(element: Element): Source {
  const { branch } = element
  if (branch === undefined || isReactive(branch)) throw new Error(`${element.kind} is not a source`)
  return branch
}

const circuits: readonly [string, readonly Source[], readonly { element: Element; physical: Physical }[]][] = [
  ['a coil on a steady source', [driver], [relay]],
  ['a coil on a pwm', [pwm], [relay]],
  ['a coil on a sine', [sine, driver], [relay]],
  ['a coil on a triangle', [triangle], [relay]],
  ['a coil on noise', [rustle], [relay]],
  ['a coil on a contact that bounces', [contact, new Steady({ volts: 0, ohms: 1000 })], [relay]],
  ['a coil on a pwm and a contact that bounces', [pwm, contact], [relay]],
  ['a coil on a pwm, a sine and a triangle', [pwm, sine, triangle], [relay]],
  ['two coils on a pwm', [pwm], [relay, other]],
  ['a motor on a steady source', [driver], [fan]],
  ['a motor on a pwm', [pwm], [fan]],
  ['a motor on a pwm and a slow square wave', [pwm, slowSquare], [fan]],
  ['a motor and two coils on a sine and a pwm', [pwm, sine], [fan, relay, other]],
]

function nodeWith(sources: readonly Source[], loads: readonly { element: Element }[]): CircuitNode {
  return singleNode([...sources, ...loads.map(({ element }) => element.branch).filter((branch) => branch !== undefined)])
}

describe('the voltage of a node with coils and motors', () => {
  it.each(circuits)('matches a step-by-step integration: %s', (_, sources, loads) => {
    const node = nodeWith(sources, loads)
    const moments = [0.05, 0.5, 4.005, 6.5, 29, 43.5, 99.95, 161]
    const stepped = steppedVolts(
      sources,
      loads.map(({ physical }) => physical),
      moments,
      0.005,
    )
    for (const [index, atMs] of moments.entries()) expect(node.voltsAt(atMs), `at ${atMs} ms`).toBeCloseTo(stepped[index] ?? 0, 4)
  })

  it.each(circuits)('does not depend on the order of queries, to the last digit: %s', (_, sources, loads) => {
    const moments = [161, 0.5, 99.95, 29, 99.95, 4.005, 3_600_000.5, 3_600_004.005, 9.99, 10.01]
    const ascending = nodeWith(sources, loads)
    const expected = new Map([...moments].sort((a, b) => a - b).map((atMs) => [atMs, ascending.voltsAt(atMs)]))
    const shuffled = nodeWith(sources, loads)
    for (const atMs of moments) expect(shuffled.voltsAt(atMs)).toBe(expected.get(atMs))
  })

  it('settles into the common period of its sources, also an hour later', () => {
    // 100 Hz and 12.5 Hz repeat together every 80 ms; 3 598 400 ms are 44 980 times that.
    for (const loads of [[fan], [relay, other]]) {
      const node = nodeWith([pwm, slowSquare], loads)
      for (const atMs of [0, 3.9, 4.1, 22, 41, 79.9])
        expect(node.voltsAt(3_600_000 + atMs)).toBeCloseTo(node.voltsAt(1600 + atMs), 6)
    }
  })

  it('uses the mean of sources that are too fast for a memory, and still follows them', () => {
    // 1 MHz and 770 kHz, 12 V for half of the time, and a coil of 2 ms: the coil sees the mean, 12 V × ½, through 50 Ω and 100 Ω.
    const fast = [1_000_000, 770_000].map((frequencyHz) =>
      sourceOf(squareWave({ frequencyHz, lowVolts: 0, highVolts: 12, ohms: 100 })),
    )
    const node = nodeWith(fast, [relay])
    const port = relay.element.branch
    if (port === undefined) throw new Error('a coil is a branch')
    expect(-node.ampsFrom(port, 1000)).toBeCloseTo(6 / 150, 3)
    const volts = Array.from({ length: 1000 }, (_, index) => node.voltsAt(1000 + index * 1e-4 + 3e-5))
    // Both high, one high, or none: 12, 6 or 0 V behind 50 Ω, reduced by 2 V by the coil's 40 mA.
    for (const expected of [10, 4, -2]) expect(volts.some((each) => Math.abs(each - expected) < 0.02)).toBe(true)
  })
})
