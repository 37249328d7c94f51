/** Zero degrees Celsius in kelvin. */
export const ZERO_CELSIUS_KELVIN = 273.15

/** The device's thermistors and the lower resistor of their dividers; wire-protocol.md section 2, "bmc module". */
export const NTC = { ratedKelvin: 298.15, ratedOhm: 10_000, betaKelvin: 3380, dividerOhm: 10_000 } as const

/**
 * Temperature in degrees Celsius behind supply – NTC – measured point – 10 kΩ – ground. Undefined when no thermistor gives that
 * voltage: it is broken, or its cable is.
 */
export function ntcCelsius(measuredVolt: number, supplyVolt: number): number | undefined {
  if (measuredVolt <= 0 || measuredVolt >= supplyVolt) return undefined
  const ohm = (supplyVolt - measuredVolt) / (measuredVolt / NTC.dividerOhm)
  const inverseKelvin = 1 / NTC.ratedKelvin + Math.log(ohm / NTC.ratedOhm) / NTC.betaKelvin
  return inverseKelvin > 0 ? 1 / inverseKelvin - ZERO_CELSIUS_KELVIN : undefined
}
