import type { FieldType } from '../read/field.ts'
import { textOf } from '../read/field.ts'
import { readQuantity } from '../read/quantity.ts'
import type { Matcher } from './matcher.ts'
import { simple } from './matcher.ts'

/** A figure that is measured: met by what is nearer than `tolerance`, or within a range. In `unit`. */
export function measured(unit: string, tolerance: number): FieldType<Matcher> {
  const wording = `a figure (met within ${tolerance} ${unit}), or a range, as in 4.9..5.2, 10.., ..10, ">= 10"`
  return {
    wording,
    read: (tree, reading, name) => {
      const text = textOf(tree, reading, name, wording)
      if (text === undefined) return undefined
      const range = rangeOf(text, unit, tolerance)
      if (typeof range === 'string') return reading.fail(tree, `${name}: ${range}`)
      const [min, max] = range
      if (min > max) return reading.fail(tree, `${name}: ${text} holds nothing: write the lower figure first`)
      const wanted = `${text}${/\d$/.test(text) ? ` ${unit}` : ''}`
      return {
        ...simple(wanted, () => true),
        mismatch: (value, path = '') => {
          if (typeof value === 'number' && value >= min && value <= max) return undefined
          return { path, expected: wanted, seen: typeof value === 'number' ? `${round(value)} ${unit}` : 'nothing' }
        },
      }
    },
  }
}

const SHOWN_DIGITS = 6

function round(value: number): number {
  return Number(value.toPrecision(SHOWN_DIGITS))
}

/** The range that a text means, or what is wrong with it. */
function rangeOf(text: string, unit: string, tolerance: number): readonly [min: number, max: number] | string {
  const [, sign, limit] = /^([<>])=? ?(.*)$/.exec(text) ?? []
  const [low, high] = limit === undefined ? text.split('..') : sign === '<' ? ['', limit] : [limit, '']
  if (low === undefined || (low === '' && (high ?? '') === ''))
    return `${text} is no figure: write a figure or a range, as in 4.9..5.2`
  if (high === undefined) {
    const figure = readQuantity(low, unit)
    return 'problem' in figure ? figure.problem : [figure.value - tolerance, figure.value + tolerance]
  }
  const min = low === '' ? { value: Number.NEGATIVE_INFINITY } : readQuantity(low, unit)
  const max = high === '' ? { value: Number.POSITIVE_INFINITY } : readQuantity(high, unit)
  if ('problem' in min) return min.problem
  return 'problem' in max ? max.problem : [min.value, max.value]
}
