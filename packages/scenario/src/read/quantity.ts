import { shown } from '@slotwire/core'

/** A physical quantity. The base unit is 1; a field's unit is a power of ten of it. */
interface Dimension {
  /** For people. */
  readonly what: string
  readonly example: string
  /** Spellings of the base unit, without prefix; '' allows a prefix alone. */
  readonly symbols: readonly string[]
  readonly takesPrefix: boolean
  /** Units that are not a power of ten of the base unit, as multiples of it. */
  readonly others?: Readonly<Record<string, number>>
}

const PREFIXES: Readonly<Record<string, number>> = { p: -12, n: -9, u: -6, µ: -6, μ: -6, m: -3, '': 0, k: 3, K: 3, M: 6, G: 9 }

const DIMENSIONS = {
  voltage: { what: 'a voltage', example: '24V', symbols: ['V', ''], takesPrefix: true },
  current: { what: 'a current', example: '300mA', symbols: ['A', ''], takesPrefix: true },
  resistance: { what: 'a resistance', example: '10kΩ', symbols: ['Ω', '\u2126', 'Ohm', 'ohm', ''], takesPrefix: true },
  frequency: { what: 'a frequency', example: '100Hz', symbols: ['Hz', ''], takesPrefix: true },
  inductance: { what: 'an inductance', example: '20mH', symbols: ['H', ''], takesPrefix: true },
  capacitance: { what: 'a capacitance', example: '100nF', symbols: ['F', ''], takesPrefix: true },
  power: { what: 'a power', example: '5W', symbols: ['W', ''], takesPrefix: true },
  time: { what: 'a time', example: '2s', symbols: ['s'], takesPrefix: true, others: { min: 60, h: 3600 } },
  temperature: { what: 'a temperature', example: '40°C', symbols: ['°C', 'C', ''], takesPrefix: false },
  angle: { what: 'an angle', example: '90°', symbols: ['°', ''], takesPrefix: false },
  share: { what: 'a share', example: '30%', symbols: [''], takesPrefix: false, others: { '%': 0.01 } },
} as const satisfies Readonly<Record<string, Dimension>>

/** The dimension of a unit, and the unit as a power of ten of the base unit. An unknown unit, of a module type, is its own dimension. */
function dimensionOf(unit: string): readonly [dimension: Dimension, exponent: number] {
  if (unit === '') return [DIMENSIONS.share, 0]
  for (const dimension of Object.values(DIMENSIONS)) {
    const symbol = dimension.symbols.find((each) => each !== '' && unit.endsWith(each))
    const power = symbol === undefined ? undefined : PREFIXES[unit.slice(0, unit.length - symbol.length)]
    if (power !== undefined && (power === 0 || dimension.takesPrefix)) return [dimension, power]
  }
  return [{ what: `a figure in ${unit}`, example: `5${unit}`, symbols: [unit, ''], takesPrefix: false }, 0]
}

/** A number in the field's unit, or a message about the mistake. */
export type ParsedNumber = { readonly value: number } | { readonly problem: string }

const FIGURE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?) ?([^\d.]{0,6})$/

/** Parses `24V`, `10k`, `10kΩ`, `30%`, `5min`; a plain number is in the field's unit. */
export function readQuantity(text: string, ownUnit: string): ParsedNumber {
  const [dimension, exponent] = dimensionOf(ownUnit)
  const [, digits, unit] = FIGURE.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined)
    return { problem: `${shown(text)} is not a number: write it as in ${dimension.example}` }
  if (unit === '') return { value: Number(digits) }
  const value = inUnit(digits, unit, dimension, exponent)
  if (value !== undefined) return { value }
  // A prefix alone does not determine the dimension.
  const isPrefix = Object.hasOwn(PREFIXES, unit)
  const other = Object.values(DIMENSIONS).find((each) => !isPrefix && inUnit(digits, unit, each, 0) !== undefined)
  const is =
    other === undefined
      ? `${shown(unit)} is not a unit of ${dimension.what}`
      : `${shown(text)} is ${other.what}, not ${dimension.what}`
  return { problem: `${is}: write it as in ${dimension.example}` }
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
