import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Takes, untyped } from '../../untyped.testkit.ts'
import type { Element } from './index.ts'
import { coil, elementKinds, source, squareWave } from './index.ts'

/** Values of settings that have no default. */
const others: Readonly<Record<string, object>> = {
  coil: { henry: 0.1 },
  noise: { lowVolts: 0, highVolts: 5 },
  potentiometer: { highVolts: 5 },
  sineWave: { amplitudeVolts: 2 },
  squareWave: { lowVolts: 0, highVolts: 5, duty: 0.1 },
  triangleWave: { lowVolts: 0, highVolts: 5 },
}
const withPrimary = Object.values(elementKinds).filter(({ primary }) => primary !== undefined)

describe('an element with its primary setting first', () => {
  it.each(withPrimary.map((kind) => [kind.kind, kind] as const))('%s equals the element by names', (name, kind) => {
    const value = name === 'capacitor' ? 1e-6 : 5
    const byNames = kind.from({ ...others[name], [String(kind.primary)]: value })
    const first = untyped(kind, value, others[name] ?? {}) as Element
    expect(first.settingsAt(0)).toEqual(byNames.settingsAt(0))
    expect(first.description).toBe(byNames.description)
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
