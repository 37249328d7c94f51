/** Inclusive. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/** What somebody at the bench may draw from a rail beside the modules, in mA. */
export const RAIL_LOAD_MILLIAMPERE: Bounds = { min: 0, max: 20_000 }
/** How far a fault of the supply may move a rail, in mV. */
export const RAIL_OFFSET_MILLIVOLT: Bounds = { min: -15_000, max: 15_000 }
export const AMBIENT_CELSIUS: Bounds = { min: -40, max: 125 }
export const COMPUTER_WATT: Bounds = { min: 0, max: 50 }
/** Longest text of a USB device: what fits into a string descriptor. */
export const MOST_USB_CHARACTERS = 126

/** A number within bounds. Throws `RangeError` that names it otherwise. */
export function within(name: string, value: number, { min, max }: Bounds, unit: string): number {
  if (value >= min && value <= max) return value
  throw new RangeError(`${name} is ${value}: ${min}…${max} ${unit}`)
}

/** A whole number within bounds. Throws `RangeError` that names it otherwise. */
export function wholeWithin(name: string, value: number, { min, max }: Bounds): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} ${value}: ${min}…${max}`)
}
