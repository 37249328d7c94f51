// What clients use of the names of pins. It stands alone: a client for browsers has no descriptions.
import type { NamedPin } from './pins.ts'

/** A number that the operator's scale gives, with its unit. */
export interface Quantity {
  readonly value: number
  readonly unit: string
}

/** A reading of a pin, as in `PinValue` and `PinCurrent`. */
interface PinReading {
  readonly pin_type: string
  readonly value: number
}

/** Readings are whole numbers: a quantity has so many decimals more than one step of the reading changes. */
const MORE_DECIMALS = 2
const MOST_DECIMALS = 15

/** The quantity of a reading, also beyond the two points. Undefined: the pin has no scale, or one for another kind of reading. */
export function quantityOf(reading: PinReading | undefined, named: NamedPin | undefined): Quantity | undefined {
  const { unit, from, scale: [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = [] } = named ?? {}
  if (from === undefined || unit === undefined || reading?.pin_type.startsWith(`${from}_`) !== true) return undefined
  const decimals = MORE_DECIMALS - Math.floor(Math.log10(Math.abs((y2 - y1) / (x2 - x1))))
  const value = y1 + ((reading.value - x1) * (y2 - y1)) / (x2 - x1)
  // 0 in place of -0.
  return { value: Number(value.toFixed(Math.min(MOST_DECIMALS, Math.max(0, decimals)))) || 0, unit }
}

/** The named pin at a place. */
export const namedPin = (pins: readonly NamedPin[] | undefined, number: number): NamedPin | undefined =>
  pins?.find(({ pin }) => pin === number)
