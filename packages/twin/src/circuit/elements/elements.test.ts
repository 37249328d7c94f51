import { checked } from '@slotwire/contract'
import { describe, expect, it } from 'vitest'
import { nodeOf } from '../circuit.testkit.ts'
import { elementKinds, ntc, open, potentiometer, resistor, short, source, squareWave } from './index.ts'

describe('potentiometer', () => {
  // 10 kΩ between 0 and 5 V; the input of 1 MΩ is a negligible load.
  const at = (position: number) => potentiometer({ ohms: 10_000, highVolts: 5, position })

  it('is 1.5 V behind 3 kΩ and 7 kΩ in parallel, 2.1 kΩ, at position 0.3', () => {
    expect(nodeOf(at(0.3)).voltsAt(0)).toBeCloseTo(1.5, 9)
    // A load of 2.1 kΩ halves it.
    expect(nodeOf(at(0.3), resistor({ ohms: 2100 })).voltsAt(0)).toBeCloseTo(0.75, 9)
  })

  it('reaches both ends, and has its default position in the middle', () => {
    expect([0, 1].map((position) => nodeOf(at(position)).voltsAt(0))).toEqual([0, 5])
    expect(nodeOf(potentiometer({ ohms: 1000, lowVolts: 1, highVolts: 4 })).voltsAt(0)).toBe(2.5)
  })
})

describe('ntc', () => {
  it('has 10 kΩ × e^(3380 × (1/323.15 − 1/298.15)) = 4.160 kΩ at 50 °C', () => {
    const ohms = 10_000 * Math.exp(3380 * (1 / 323.15 - 1 / 298.15))
    expect(ohms).toBeCloseTo(4160.1, 0)
    expect(nodeOf(ntc({ celsius: 50, volts: 5 }), resistor({ ohms: 10_000 })).voltsAt(0)).toBeCloseTo(
      (5 * 10_000) / (10_000 + ohms),
      9,
    )
  })
})

describe('an element', () => {
  it('returns all its settings, with the defaults of those that were left out', () => {
    expect(resistor({ ohms: 5 }).settingsAt(0)).toEqual({ ohms: 5, volts: 0 })
    expect(open().settingsAt(0)).toEqual({})
  })

  it('returns a changed copy and stays unchanged', () => {
    const small = resistor({ ohms: 5, volts: 3 })
    expect(small.with({ ohms: 7 }, 0).settingsAt(0)).toEqual({ ohms: 7, volts: 3 })
    expect(small.settingsAt(0)).toEqual({ ohms: 5, volts: 3 })
  })
})

it.each([
  ['a figure out of bounds', () => resistor({ ohms: -1 }), 'ohms is out of range: 0…1000000000 Ω, not -1'],
  ['no figure', () => source({ volts: Number.NaN }), 'volts is out of range: -1000…1000 V, not NaN'],
  ['a figure that is a text', () => source.from({ volts: '24' }), 'volts must be a number, not "24": -1000…1000 V'],
  ['something missing', () => source.from({ ohms: 1 }), 'volts is missing: a number from -1000 to 1000 V'],
  ['something unknown', () => source.from({ volts: 1, amps: 1 }), 'amps is unknown: allowed: volts and ohms'],
  ['something inherited', () => source.from({ volts: 1, toString: 1 }), 'toString is unknown: allowed: volts and ohms'],
  ['a setting of what has none', () => short.from({ ohms: 1 }), 'ohms is unknown: there are no fields here'],
  ['a switch that is a figure', () => elementKinds.button.from({ pressed: 1 }), 'pressed must be true or false, not a number'],
  ['a part of a whole', () => elementKinds.button.from({ bounces: 1.5 }), 'bounces must be a whole number: 0…100, not 1.5'],
  [
    'a share above 1',
    () => squareWave({ frequencyHz: 1, lowVolts: 0, highVolts: 1, duty: 1.1 }),
    'duty is out of range: 0…1, not 1.1',
  ],
])('an invalid element is refused, with name, bounds and remedy: %s', (_, make, message) =>
  expect(make).toThrow(new RangeError(message)),
)

describe('every kind of element', () => {
  it.each(Object.entries(elementKinds))('%s has its name, a summary and the meaning of each setting', (name, kind) => {
    expect(kind.kind).toBe(name)
    expect(kind.summary).not.toBe('')
    for (const field of Object.values(kind.fields)) expect(field.description).toMatch(/./)
  })

  it.each(Object.entries(elementKinds))('%s has defaults within its bounds', (_, kind) => {
    for (const [name, field] of Object.entries(kind.fields))
      if (field.default !== undefined) expect(checked(name, field, field.default)).toBe(field.default)
  })
})
