import { describe, expect, it } from 'vitest'
import { readQuantity } from './quantity.ts'

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
