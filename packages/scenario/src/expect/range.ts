/** Result of parsing a range: `4.9..5.2`, `10..`, `..10`, `>= 10`, `> 10`, `<= 10`, `< 10`. */
export type RangeText =
  | { readonly includes: (value: number) => boolean }
  /** One of its ends is not a valid number. */
  | { readonly invalidNumber: string }
  /** Its ends are valid, but the range is not. */
  | { readonly invalidRange: string }

const COMPARISON = /^(>=|<=|>|<) ?(.+)$/
const COMPARED: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>=': (value, limit) => value >= limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
}

/** Parses a range with `parseNumber` for its ends; undefined if the text does not look like a range. */
export function readRange(text: string, parseNumber: (text: string) => number | undefined): RangeText | undefined {
  const [, sign = '', limit] = COMPARISON.exec(text) ?? []
  const compared = COMPARED[sign]
  if (compared !== undefined && limit !== undefined) {
    const figure = parseNumber(limit)
    return figure === undefined ? { invalidNumber: limit } : { includes: (value) => compared(value, figure) }
  }
  const bounds = text.split('..')
  return bounds.length < 2 || bounds.every((bound) => bound === '') ? undefined : between(bounds, parseNumber)
}

function between(bounds: readonly string[], parseNumber: (text: string) => number | undefined): RangeText {
  const values = bounds.map((bound) => (bound === '' ? undefined : parseNumber(bound)))
  const invalidNumber = bounds.find((bound, index) => bound !== '' && values[index] === undefined)
  if (invalidNumber !== undefined) return { invalidNumber }
  const [min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY] = values
  if (values.length > 2) return { invalidRange: 'has more than two ends: write two values, as in 4.9..5.2' }
  if (min > max) return { invalidRange: 'is an empty range: write the lower value first' }
  return { includes: (value) => value >= min && value <= max }
}
