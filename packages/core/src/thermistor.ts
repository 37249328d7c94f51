const ZERO_CELSIUS_KELVIN = 273.15
const RATED_KELVIN = 298.15

/** A thermistor (NTC) by its data sheet: resistance at 25 °C, and B of the B parameter equation. */
export interface Thermistor {
  readonly ratedOhm: number
  readonly betaKelvin: number
}

/** A thermistor above a resistor to ground: supply – NTC – measured point – resistor – ground. */
export interface ThermistorDivider extends Thermistor {
  readonly lowerOhm: number
  readonly supplyVolt: number
}

/** Resistance in ohm at a temperature in degrees Celsius (above absolute zero). */
export function thermistorOhm({ ratedOhm, betaKelvin }: Thermistor, celsius: number): number {
  return ratedOhm * Math.exp(betaKelvin * (1 / (celsius + ZERO_CELSIUS_KELVIN) - 1 / RATED_KELVIN))
}

/** Volt at the measured point of a divider at a temperature in degrees Celsius. */
export function dividerVolt(divider: ThermistorDivider, celsius: number): number {
  return (divider.supplyVolt * divider.lowerOhm) / (thermistorOhm(divider, celsius) + divider.lowerOhm)
}

/**
 * Temperature in degrees Celsius for a voltage at the measured point; undefined if no temperature gives it, because of a broken sensor or
 * cable.
 */
export function dividerCelsius(divider: ThermistorDivider, measuredVolt: number): number | undefined {
  const { ratedOhm, betaKelvin, lowerOhm, supplyVolt } = divider
  if (measuredVolt <= 0 || measuredVolt >= supplyVolt) return undefined
  const ohm = (supplyVolt - measuredVolt) / (measuredVolt / lowerOhm)
  const inverseKelvin = 1 / RATED_KELVIN + Math.log(ohm / ratedOhm) / betaKelvin
  return inverseKelvin > 0 ? 1 / inverseKelvin - ZERO_CELSIUS_KELVIN : undefined
}
