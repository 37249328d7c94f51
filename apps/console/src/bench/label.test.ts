import { benchContract } from '@slotwire/bench-api'
import { extensionDocument } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { readBenchApi } from './api-document.ts'
import { engineering, shortLabel } from './label.ts'

const api = readBenchApi(extensionDocument(benchContract(catalog), { version: '1.0.0' }))

describe('the label of an element', () => {
  it.each([
    ['source', { volts: 24, ohms: 10_000 }, '24 V'],
    ['resistor', { ohms: 10_000, volts: 3.3 }, '10 kΩ → 3.3 V'],
    ['resistor', { ohms: 4700, volts: 0 }, '4.7 kΩ'],
    ['capacitor', { farad: 1e-7 }, '100 nF'],
    ['square_wave', { frequency_hz: 100, low_volts: 0, high_volts: 5 }, '100 Hz 0…5 V'],
    ['ntc', { celsius: 60, volts: 0 }, '60 °C'],
    ['button', { volts: 5, pressed: false }, '→ 5 V'],
    ['short', {}, ''],
    ['something new', { rpm: 3 }, ''],
  ])('shows a %s with %j as %s', (name, settings, label) => {
    const kind = api.elements.find((each) => each.name === name)
    expect(shortLabel({ settings }, kind, 'en')).toBe(label)
  })

  it('is written in the language', () => {
    expect([engineering(4700, 'Ω', 'de'), engineering(0, 'V', 'en'), engineering(-0.0125, 'A', 'en')]).toEqual([
      '4,7 kΩ',
      '0 V',
      '-12.5 mA',
    ])
  })
})
