import { decimal, readQuantity, wordOf } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import { type FieldType, textType } from '../read/field.ts'
import type { Matcher } from './matcher.ts'

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

/** A measured value in `unit`: matches within `tolerance`, or a range. */
export function measured(unit: string, tolerance: number): FieldType<Matcher> {
  const wording = `a number (tolerance ${tolerance} ${unit}), or a range, as in 4.9..5.2, 10.., ..10, ">= 10"`
  return textType(wording, (text, name) => {
    const includes = includedBy(text, unit, tolerance, name)
    const wanted = `${text}${/\d$/.test(text) ? ` ${unit}` : ''}`
    return {
      wording: wanted,
      mismatch: (value, path = '') => {
        if (typeof value === 'number' && includes(value)) return undefined
        return { path, expected: wanted, seen: typeof value === 'number' ? `${round(value)} ${unit}` : 'nothing' }
      },
    }
  })
}

/** A range as others write it: `4.9-5.1`, `4.9 to 5.1`. */
const OTHER_RANGE = /^([\d.]+ ?[^\d\s.–-]*?) ?(?:-|–|…|\.\.\.|to) ?(\d.*)$/

const SHOWN_DIGITS = 6

function round(value: number): number {
  return Number(value.toPrecision(SHOWN_DIGITS))
}

/** The check for a value or a range. Throws `RangeError`. */
function includedBy(text: string, unit: string, tolerance: number, name: string): (value: number) => boolean {
  const [, low, high] = OTHER_RANGE.exec(text) ?? []
  if (low !== undefined && high !== undefined)
    throw new RangeError(`${name}: ${shown(text)} is not a range: write ${shown(`${low}..${high}`)}`)
  const range = readRange(text, (figure) => readQuantity(figure, unit))
  if (range !== undefined && 'includes' in range) return range.includes
  if (range !== undefined && 'invalidRange' in range) throw new RangeError(`${name}: ${shown(text)} ${range.invalidRange}`)
  const figure = wordOf(decimal({ unit })).read(range?.invalidNumber ?? text, name)
  return (value) => Math.abs(value - figure) <= tolerance
}
