import { shown } from '@slotwire/core'

/** A quantity that can be written with a unit. `exponent`: 10 to so much makes the base unit of what the field counts in. */
interface Dimension {
  /** For people. */
  readonly what: string
  readonly example: string
  /** Spellings of the base unit, without prefix; the empty one is a prefix alone. */
  readonly symbols: readonly string[]
  readonly takesPrefix: boolean
  /** Units that are no power of ten of the base unit, in terms of it; for those alone that the dimension has. */
  readonly others?: Readonly<Record<string, number>>
}

const PREFIXES: Readonly<Record<string, number>> = { n: -9, u: -6, µ: -6, μ: -6, m: -3, '': 0, k: 3, K: 3, M: 6, G: 9 }

const DIMENSIONS = {
  voltage: { what: 'a voltage', example: '24V', symbols: ['V', ''], takesPrefix: true },
  current: { what: 'a current', example: '300mA', symbols: ['A', ''], takesPrefix: true },
  resistance: { what: 'a resistance', example: '10kΩ', symbols: ['Ω', '\u2126', 'Ohm', 'ohm', ''], takesPrefix: true },
  frequency: { what: 'a frequency', example: '100Hz', symbols: ['Hz', ''], takesPrefix: true },
  inductance: { what: 'an inductance', example: '20mH', symbols: ['H', ''], takesPrefix: true },
  power: { what: 'a power', example: '5W', symbols: ['W', ''], takesPrefix: true },
  time: { what: 'a time', example: '2s', symbols: ['s'], takesPrefix: true, others: { min: 60, h: 3600 } },
  temperature: { what: 'a temperature', example: '40°C', symbols: ['°C', 'C', ''], takesPrefix: false },
  angle: { what: 'an angle', example: '90°', symbols: ['°', ''], takesPrefix: false },
  share: { what: 'a share', example: '30%', symbols: [''], takesPrefix: false, others: { '%': 0.01 } },
} as const satisfies Readonly<Record<string, Dimension>>

/** What a field counts in: its own unit as a power of ten of a base unit. A unit that a module type brings is written as it is called. */
function dimensionOf(unit: string): readonly [dimension: Dimension, exponent: number] {
  if (unit === '') return [DIMENSIONS.share, 0]
  for (const dimension of Object.values(DIMENSIONS)) {
    const symbol = dimension.symbols.find((each) => each !== '' && unit.endsWith(each))
    const power = symbol === undefined ? undefined : PREFIXES[unit.slice(0, unit.length - symbol.length)]
    if (power !== undefined && (power === 0 || dimension.takesPrefix)) return [dimension, power]
  }
  return [{ what: `a figure in ${unit}`, example: `5${unit}`, symbols: [unit, ''], takesPrefix: false }, 0]
}

/** A figure in the field's own unit, or what is wrong with how it was written. */
export type Figure = { readonly value: number } | { readonly problem: string }

const FIGURE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?) ?([^\d.]{0,6})$/

/** Reads `24V`, `10k`, `10kΩ`, `30%`, `5min`; a plain number is in the field's own unit. */
export function readQuantity(text: string, ownUnit: string): Figure {
  const [dimension, exponent] = dimensionOf(ownUnit)
  const [, digits, unit] = FIGURE.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined)
    return { problem: `${shown(text)} is no figure: write it as in ${dimension.example}` }
  if (unit === '') return { value: Number(digits) }
  const value = inUnit(digits, unit, dimension, exponent)
  if (value !== undefined) return { value }
  // A prefix alone says nothing of what it is of.
  const isPrefix = Object.hasOwn(PREFIXES, unit)
  const other = Object.values(DIMENSIONS).find((each) => !isPrefix && inUnit(digits, unit, each, 0) !== undefined)
  const is =
    other === undefined
      ? `${shown(unit)} is no unit of ${dimension.what}`
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

/** Moves the decimal point in the text: 0.3 and a prefix stay 0.3, not 0.30000000000000004. */
function scaled(digits: string, power: number): number {
  const [mantissa, written = '0'] = digits.split('e')
  return Number(`${mantissa ?? ''}e${Number(written) + power}`)
}

const EXACT_DIGITS = 15

function exact(value: number): number {
  return Number(value.toPrecision(EXACT_DIGITS))
}
