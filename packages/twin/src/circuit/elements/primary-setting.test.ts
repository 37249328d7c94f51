import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Takes, untyped } from '../../untyped.testkit.ts'
import type { Element } from './index.ts'
import {
  capacitor,
  coil,
  currentSource,
  diode,
  elementKinds,
  encoder,
  led,
  motor,
  noise,
  ntc,
  potentiometer,
  pt100,
  relay,
  resistor,
  sineWave,
  source,
  squareWave,
  triangleWave,
  zener,
} from './index.ts'

const levels = { lowVolts: 0, highVolts: 5 }

/** Each element made with its primary setting first, and by names. */
const pairs: readonly (readonly [first: Element, byNames: Element])[] = [
  [capacitor(1e-6), capacitor({ farad: 1e-6 })],
  [coil(100, { henry: 0.1 }), coil({ ohms: 100, henry: 0.1 })],
  [currentSource(12), currentSource({ milliampere: 12 })],
  [diode(0.6, { volts: 5 }), diode({ forwardVolts: 0.6, volts: 5 })],
  [encoder(300, { lines: 50 }), encoder({ rpm: 300, lines: 50 })],
  [led(3), led({ forwardVolts: 3 })],
  [motor(24), motor({ ohms: 24 })],
  [noise(1000, levels), noise({ frequencyHz: 1000, ...levels })],
  [ntc(40), ntc({ celsius: 40 })],
  [potentiometer(10_000, { highVolts: 5 }), potentiometer({ ohms: 10_000, highVolts: 5 })],
  [pt100(20), pt100({ celsius: 20 })],
  [relay(120), relay({ ohms: 120 })],
  [resistor(10_000, { volts: 3.3 }), resistor({ ohms: 10_000, volts: 3.3 })],
  [sineWave(50, { amplitudeVolts: 2 }), sineWave({ frequencyHz: 50, amplitudeVolts: 2 })],
  [source(24, { ohms: 10_000 }), source({ volts: 24, ohms: 10_000 })],
  [squareWave(100, { ...levels, duty: 0.1 }), squareWave({ frequencyHz: 100, ...levels, duty: 0.1 })],
  [triangleWave(100, levels), triangleWave({ frequencyHz: 100, ...levels })],
  [zener(5.1), zener({ zenerVolts: 5.1 })],
]

describe('an element with its primary setting first', () => {
  it.each(pairs)('%# equals the element by names', (first, byNames) => {
    expect(first.settingsAt(0)).toEqual(byNames.settingsAt(0))
    expect(first.description).toBe(byNames.description)
  })

  it('exists for every kind that has a primary setting', () => {
    const withPrimary = Object.values(elementKinds).filter(({ primary }) => primary !== undefined)
    expect(pairs.map(([first]) => first.kind)).toEqual(withPrimary.map(({ kind }) => kind))
    for (const { primary, fields } of withPrimary) expect(fields[String(primary)]).toMatchObject({ type: 'number' })
    expect(elementKinds.source.primary).toBe('volts')
    expect(elementKinds.button.primary).toBeUndefined()
  })

  it('still needs its other settings', () => {
    expectTypeOf<Takes<typeof coil, [number]>>().toEqualTypeOf<false>()
    expect(() => untyped(coil, 100)).toThrow('henry is missing: a number from 0.000001 to 1000 H')
    expectTypeOf<Takes<typeof squareWave, [number]>>().toEqualTypeOf<false>()
    expect(() => untyped(squareWave, 100)).toThrow('lowVolts is missing')
    expectTypeOf<Takes<typeof source, []>>().toEqualTypeOf<false>()
    expect(() => untyped(source)).toThrow('volts is missing: a number from -1000 to 1000 V')
  })

  it('refuses the primary setting twice', () => {
    expectTypeOf<Takes<typeof source, [number, { ohms: number }]>>().toEqualTypeOf<true>()
    expectTypeOf<Takes<typeof source, [number, { volts: number }]>>().toEqualTypeOf<false>()
    expect(() => untyped(source, 24, { volts: 12 })).toThrow('volts of source is given twice: give it first, or by its name')
  })

  it('is checked like an element by names', () => {
    expect(() => source(2000)).toThrow('volts is out of range: -1000…1000 V, not 2000')
    expectTypeOf<Takes<typeof source, [string]>>().toEqualTypeOf<false>()
    expect(() => untyped(source, '24')).toThrow('volts must be a number, not "24": -1000…1000 V')
    expectTypeOf<Takes<typeof elementKinds.short, [number]>>().toEqualTypeOf<false>()
    expect(() => untyped(elementKinds.short, 5)).toThrow('short has no primary setting: give its settings by name')
  })
})
