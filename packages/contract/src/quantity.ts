import type { NamedPin } from './pins.ts'
import type { Schema } from './schema.ts'

/** A physical quantity. The base unit is 1; a field's unit is a power of ten of it. */
interface Dimension {
  /** Spellings of the base unit, without prefix; '' allows a prefix alone. */
  readonly symbols: readonly string[]
  readonly takesPrefix: boolean
  /** Units that are not a power of ten of the base unit, as multiples of it. */
  readonly others?: Readonly<Record<string, number>>
}

const PREFIXES: Readonly<Record<string, number>> = { p: -12, n: -9, u: -6, µ: -6, μ: -6, m: -3, '': 0, k: 3, K: 3, M: 6, G: 9 }

const DIMENSIONS = {
  voltage: { symbols: ['V', ''], takesPrefix: true },
  current: { symbols: ['A', ''], takesPrefix: true },
  resistance: { symbols: ['Ω', '\u2126', 'Ohm', 'ohm', ''], takesPrefix: true },
  frequency: { symbols: ['Hz', ''], takesPrefix: true },
  inductance: { symbols: ['H', ''], takesPrefix: true },
  capacitance: { symbols: ['F', ''], takesPrefix: true },
  power: { symbols: ['W', ''], takesPrefix: true },
  time: { symbols: ['s'], takesPrefix: true, others: { m: 60, min: 60, h: 3600 } },
  temperature: { symbols: ['°C', 'C', ''], takesPrefix: false },
  angle: { symbols: ['°', ''], takesPrefix: false },
  share: { symbols: [''], takesPrefix: false, others: { '%': 0.01 } },
} as const satisfies Readonly<Record<string, Dimension>>

/** The dimension of a unit, and the unit as a power of ten of the base unit. An unknown unit, of a module type, is its own dimension. */
function dimensionOf(unit: string): readonly [dimension: Dimension, exponent: number] {
  if (unit === '') return [DIMENSIONS.share, 0]
  for (const dimension of Object.values(DIMENSIONS)) {
    const symbol = dimension.symbols.find((each) => each !== '' && unit.endsWith(each))
    const power = symbol === undefined ? undefined : PREFIXES[unit.slice(0, unit.length - symbol.length)]
    if (power !== undefined && (power === 0 || dimension.takesPrefix)) return [dimension, power]
  }
  return [{ symbols: [unit, ''], takesPrefix: false }, 0]
}

const FIGURE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?) ?([^\d.]{0,6})$/

/** Reads `24V`, `10k`, `10kΩ`, `30%`, `5min`; a plain number is in the field's unit. Undefined for other texts, and for other units. */
export function readQuantity(text: string, ownUnit: string): number | undefined {
  const [, digits, unit] = FIGURE.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined) return undefined
  return unit === '' ? Number(digits) : inUnit(digits, unit, ...dimensionOf(ownUnit))
}

/** The JSON value of a text that people write for a field. A text that is no such value stays a text: the check of the schema refuses it. */
export function fromText(text: string, schema: Schema): unknown {
  if (schema.type === 'integer' && schema['x-unit'] === undefined) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (schema.type === 'integer' || schema.type === 'number') return readQuantity(text, schema['x-unit'] ?? '') ?? text
  return schema.type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
}

function inUnit(
  digits: string,
  unit: string,
  { symbols, takesPrefix, others = {} }: Dimension,
  exponent: number,
): number | undefined {
  const factor = Object.hasOwn(others, unit) ? others[unit] : undefined
  if (factor !== undefined) return exact((Number(digits) * factor) / 10 ** exponent)
  for (const symbol of symbols) {
    if (!unit.endsWith(symbol)) continue
    const prefix = unit.slice(0, unit.length - symbol.length)
    const power = Object.hasOwn(PREFIXES, prefix) && (takesPrefix || prefix === '') ? PREFIXES[prefix] : undefined
    if (power !== undefined) return scaled(digits, power - exponent)
  }
  return undefined
}

/** Moves the decimal point in the text, so that 0.3 with a prefix stays 0.3, not 0.30000000000000004. */
function scaled(digits: string, power: number): number {
  const [mantissa, written = '0'] = digits.split('e')
  return Number(`${mantissa ?? ''}e${Number(written) + power}`)
}

const EXACT_DIGITS = 15

function exact(value: number): number {
  return Number(value.toPrecision(EXACT_DIGITS))
}

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
const MAX_DECIMALS = 15

/** The quantity of a reading, also beyond the two points. Undefined: the pin has no scale, or one for another kind of reading. */
export function quantityOf(reading: PinReading | undefined, named: NamedPin | undefined): Quantity | undefined {
  const { unit, from, scale: [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = [] } = named ?? {}
  if (from === undefined || unit === undefined || reading?.pin_type.startsWith(`${from}_`) !== true) return undefined
  const decimals = MORE_DECIMALS - Math.floor(Math.log10(Math.abs((y2 - y1) / (x2 - x1))))
  const value = y1 + ((reading.value - x1) * (y2 - y1)) / (x2 - x1)
  // 0 in place of -0.
  return { value: Number(value.toFixed(Math.min(MAX_DECIMALS, Math.max(0, decimals)))) || 0, unit }
}

/** The named pin at a place. */
export const namedPin = (pins: readonly NamedPin[] | undefined, number: number): NamedPin | undefined =>
  pins?.find(({ pin }) => pin === number)
