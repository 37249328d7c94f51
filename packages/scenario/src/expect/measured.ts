import { decimal, readQuantity, wordOf } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import { type FieldType, textType } from '../read/field.ts'
import type { Matcher } from './matcher.ts'
import { readRange } from './range.ts'

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
