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
    expect(readQuantity(text, unit)).toEqual({ value })
  })

  it.each([
    ['5V', 'ms', '5V is a voltage, not a time: write it as in 2s'],
    ['10s', 'Ω', '10s is a time, not a resistance: write it as in 10kΩ'],
    ['5min', 'V', '5min is a time, not a voltage: write it as in 24V'],
    ['10Hz', 'V', '10Hz is a frequency, not a voltage: write it as in 24V'],
    ['5m', 'ms', 'm is not a unit of a time: write it as in 2s'],
    ['30%', 'V', '30% is a share, not a voltage: write it as in 24V'],
    ['3kC', '°C', 'kC is not a unit of a temperature: write it as in 40°C'],
    ['', 'V', '"" is not a number: write it as in 24V'],
    ['V', 'V', 'V is not a number: write it as in 24V'],
    ['1,5V', 'V', '1,5V is not a number: write it as in 24V'],
    ['Infinity', 'V', 'Infinity is not a number: write it as in 24V'],
    ['0x10', 'V', '0x10 is not a number: write it as in 24V'],
    ['5V', 'lx', '5V is a voltage, not a figure in lx: write it as in 5lx'],
    ['5toString', 'V', '5toString is not a number: write it as in 24V'],
  ])('refuses %s in %s', (text, unit, problem) => {
    expect(readQuantity(text, unit)).toEqual({ problem })
  })
})
