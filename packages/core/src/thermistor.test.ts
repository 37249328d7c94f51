import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dividerCelsius, dividerVolt, type ThermistorDivider, thermistorOhm } from './thermistor.ts'

const divider: ThermistorDivider = { ratedOhm: 10_000, betaKelvin: 3380, lowerOhm: 10_000, supplyVolt: 3.3 }

describe('a thermistor', () => {
  it('has its rated resistance at 25 °C', () => {
    expect(thermistorOhm(divider, 25)).toBe(10_000)
    expect(dividerVolt(divider, 25)).toBeCloseTo(1.65, 9)
    expect(dividerCelsius({ ...divider, supplyVolt: 3 }, 1.5)).toBeCloseTo(25, 9)
  })

  it('matches typical readings of the device', () => {
    // From R = 10 kΩ × e^(3380 × (1/T − 1/298.15)) and V = 3.3 V × 10 kΩ / (R + 10 kΩ).
    expect(dividerCelsius(divider, (3.3 * 10_000) / (6076.625 + 10_000))).toBeCloseTo(38.703, 4)
    expect(dividerCelsius(divider, (3.3 * 10_000) / (8421.736 + 10_000))).toBeCloseTo(29.587, 4)
  })

  it('gives a higher temperature for a higher voltage', () =>
    expect(dividerCelsius(divider, 2)).toBeGreaterThan(dividerCelsius(divider, 1.9) ?? Number.NaN))

  it.each([0, -0.1, 3.3, 3.4])('gives no temperature for %s V of 3.3 V: broken cable or short circuit', (volt) =>
    expect(dividerCelsius(divider, volt)).toBeUndefined(),
  )

  it('converts voltage and temperature in both directions by the formula of wire-protocol.md', () =>
    fc.assert(
      fc.property(fc.double({ min: -40, max: 150, noNaN: true }), (celsius) => {
        const volt = dividerVolt(divider, celsius)
        const ohm = (3.3 - volt) / (volt / 10_000)
        expect(1 / (1 / 298.15 + Math.log(ohm / 10_000) / 3380) - 273.15).toBeCloseTo(celsius, 6)
        expect(dividerCelsius(divider, volt)).toBeCloseTo(celsius, 6)
      }),
    ))
})
