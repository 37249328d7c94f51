import { NTC, ZERO_CELSIUS_KELVIN } from '@slotwire/core'

/** Resistance in ohm of the device's thermistors at a temperature in degrees Celsius (above absolute zero). */
export function ntcOhm(celsius: number): number {
  return NTC.ratedOhm * Math.exp(NTC.betaKelvin * (1 / (celsius + ZERO_CELSIUS_KELVIN) - 1 / NTC.ratedKelvin))
}

/** Volt at the measured point of supply – NTC – point – 10 kΩ – ground. */
export function ntcDividerVolt(celsius: number, supplyVolt: number): number {
  return (supplyVolt * NTC.dividerOhm) / (ntcOhm(celsius) + NTC.dividerOhm)
}
