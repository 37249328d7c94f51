/** Zero degrees Celsius in kelvin. */
export const ZERO_CELSIUS_KELVIN = 273.15
/** Where the thermistor has its rated resistance: 25 °C. */
const RATED_KELVIN = 298.15
const RATED_OHM = 10_000
const BETA_KELVIN = 3380
/** The lower resistor of an NTC input; wire-protocol.md "bmc module". */
const DIVIDER_OHM = 10_000

/** Resistance in ohm of the device's thermistors at a temperature in degrees Celsius (above absolute zero). */
export function ntcOhm(celsius: number): number {
  return RATED_OHM * Math.exp(BETA_KELVIN * (1 / (celsius + ZERO_CELSIUS_KELVIN) - 1 / RATED_KELVIN))
}

/** Volt at the measured point of supply – NTC – point – 10 kΩ – ground. */
export function ntcDividerVolt(celsius: number, supplyVolt: number): number {
  return (supplyVolt * DIVIDER_OHM) / (ntcOhm(celsius) + DIVIDER_OHM)
}
