import { type NumberValue, shown } from '@slotwire/core'
import type { FieldType } from './field.ts'
import { word } from './field-types.ts'
import { readQuantity } from './quantity.ts'

/** Longest that anything in a scenario lasts: 30 days, in ms. */
const LONGEST_MS = 2_592_000_000

const DURATION = 'a time with its unit, as in 20ms, 2s, 5min, 1h'

/** A stretch of time, in ms. Its unit is always written, except with 0. */
export const duration: FieldType<number> = word(DURATION, (text, name) => {
  const ms = readDuration(text, name)
  return typeof ms === 'string' || ms <= LONGEST_MS ? ms : `${name} is ${shown(text)}: at most 30 days, 720h`
})

/** A stretch of time between two bounds in ms, themselves included. */
export function durationWithin({ min, max }: Pick<NumberValue, 'min' | 'max'>): FieldType<number> {
  const bounds = `${durationText(min)} to ${durationText(max)}`
  return word(`${DURATION}; ${bounds}`, (text, name) => {
    const ms = readDuration(text, name)
    return typeof ms === 'string' || (ms >= min && ms <= max) ? ms : `${name} is ${shown(text)}: ${bounds}`
  })
}

function readDuration(text: string, name: string): number | string {
  const figure = readQuantity(text, 'ms')
  if ('problem' in figure) return `${name}: ${figure.problem}`
  const { value } = figure
  if (value !== 0 && /[\d.]$/.test(text.trim()))
    return `${name} is ${shown(text)} of what? Write ${text.trim()}s or ${text.trim()}ms`
  return value < 0 ? `${name} is ${shown(text)}: time goes forward, write 0s or more` : value
}

/** In the largest unit of which it is a whole number. */
const DURATION_UNITS = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

function durationText(ms: number): string {
  const [unit, unitMs] = DURATION_UNITS.find(([, each]) => Number.isInteger(ms / each)) ?? ['us', 0.001]
  return `${Number((ms / unitMs).toPrecision(6))}${unit}`
}
