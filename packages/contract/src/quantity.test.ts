import { describe, expect, it } from 'vitest'
import { quantityOf, readQuantity } from './quantity.ts'

describe('readQuantity', () => {
  it.each([
    ['24V', 'V', 24],
    ['24 V', 'V', 24],
    ['-1.5V', 'V', -1.5],
    ['300mV', 'V', 0.3],
    ['300mV', 'mV', 300],
    ['24', 'V', 24],
    ['10k', 'Ω', 10_000],
    ['10kΩ', 'Ω', 10_000],
    ['10k\u2126', 'Ω', 10_000],
    ['10kOhm', 'Ω', 10_000],
    ['4.7Mohm', 'Ω', 4_700_000],
    ['10000', 'Ω', 10_000],
    ['1e9', 'Ω', 1e9],
    ['300mA', 'mA', 300],
    ['0.3A', 'mA', 300],
    ['300', 'mA', 300],
    ['100Hz', 'Hz', 100],
    ['1MHz', 'Hz', 1_000_000],
    ['50us', 'ms', 0.05],
    ['50µs', 'ms', 0.05],
    ['20ms', 'ms', 20],
    ['2s', 'ms', 2000],
    ['5min', 'ms', 300_000],
    ['5m', 'ms', 300_000],
    ['1h', 'ms', 3_600_000],
    ['0.1s', 'ms', 100],
    ['30%', '', 0.3],
    ['0.3', '', 0.3],
    ['40°C', '°C', 40],
    ['40C', '°C', 40],
    ['-40', '°C', -40],
    ['90°', '°', 90],
    ['20mH', 'H', 0.02],
    ['5W', 'W', 5],
    ['5000mW', 'W', 5],
    ['45%', '%', 45],
    ['300 lx', 'lx', 300],
  ])('reads %s in %s as %d', (text, unit, value) => {
    expect(readQuantity(text, unit)).toBe(value)
  })

  it.each([
    ['5V', 'ms'],
    ['10s', 'Ω'],
    ['5min', 'V'],
    ['10Hz', 'V'],
    ['5mo', 'ms'],
    ['30%', 'V'],
    ['3kC', '°C'],
    ['', 'V'],
    ['V', 'V'],
    ['1,5V', 'V'],
    ['Infinity', 'V'],
    ['0x10', 'V'],
    ['5V', 'lx'],
    ['5toString', 'V'],
  ])('does not read %s in %s', (text, unit) => expect(readQuantity(text, unit)).toBeUndefined())
})

describe('quantityOf', () => {
  const reading = (value: number, pin_type = 'current_milliampere') => ({ pin_type, value })
  const pin = { slot: 3, pin: 1, name: 'a' }
  const scaled = (x1: number, y1: number, x2: number, y2: number) =>
    ({
      ...pin,
      unit: 'u',
      from: 'current',
      scale: [
        [x1, y1],
        [x2, y2],
      ],
    }) as const

  it.each([
    ['at a point', 4, [4, 0, 20, 10], 0],
    ['between the points', 12, [4, 0, 20, 10], 5],
    ['of a step, not rounded', 13, [4, 0, 20, 10], 5.625],
    ['before the first point', 0, [4, 0, 20, 10], -2.5],
    ['after the last point', 24, [20, 10, 4, 0], 12.5],
    ['of a falling line, with 0 in place of -0', 10, [0, -10, 20, 10], 0],
    ['with the decimals of one step and two more', 1, [0, 0, 3, 1], 0.333],
    ['of a steep line', 1, [0, 0, 3, 1e6], 333_333],
    ['of a flat line', 1, [0, 0, 1e6, 3], 0.000003],
    ['of points that are far and near', 1, [0, 0, 1e9, 1e-9], 0],
  ] as const)('gives the quantity %s', (_, value, points, expected) => {
    const quantity = quantityOf(reading(value), scaled(...(points as readonly [number, number, number, number])))
    expect(quantity).toEqual({ value: expected, unit: 'u' })
  })

  it.each([
    ['another kind of reading', reading(1, 'voltage_millivolt'), scaled(0, 0, 1, 1)],
    ['a pin without a scale', reading(1), pin],
    ['no reading', undefined, scaled(0, 0, 1, 1)],
    ['a pin without a name', reading(1), undefined],
  ])('gives no quantity for %s', (_, read, named) => expect(quantityOf(read, named)).toBeUndefined())
})
