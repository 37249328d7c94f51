import { describe, expect, it } from 'vitest'
import { ntcCelsius } from './ntc.ts'

describe('ntcCelsius', () => {
  it('is 25 °C at half the supply, where the thermistor has its rated resistance', () => {
    expect(ntcCelsius(1.65, 3.3)).toBeCloseTo(25, 9)
    expect(ntcCelsius(1.5, 3.0)).toBeCloseTo(25, 9)
  })

  it('agrees with the typical readings of the device', () => {
    // From R = 10 kΩ × e^(3380 × (1/T − 1/298.15)) and V = 3.3 V × 10 kΩ / (R + 10 kΩ).
    expect(ntcCelsius((3.3 * 10_000) / (6076.625 + 10_000), 3.3)).toBeCloseTo(38.703, 4)
    expect(ntcCelsius((3.3 * 10_000) / (8421.736 + 10_000), 3.3)).toBeCloseTo(29.587, 4)
  })

  it('rises with the voltage', () => {
    expect(ntcCelsius(2, 3.3)).toBeGreaterThan(ntcCelsius(1.9, 3.3) ?? Number.NaN)
  })

  it.each([0, -0.1, 3.3, 3.4])('is nothing at %s V of 3.3 V: a broken cable or a short circuit', (volt) => {
    expect(ntcCelsius(volt, 3.3)).toBeUndefined()
  })
})
