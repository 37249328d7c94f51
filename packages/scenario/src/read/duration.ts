import { type NumberValue, shown } from '@slotwire/core'
import type { FieldType } from './field.ts'
import { word } from './field-types.ts'
import { readQuantity } from './quantity.ts'

/** Longest duration in a scenario: 30 days, in ms. */
export const MAX_DURATION_MS = 2_592_000_000

const DURATION = 'a time with its unit, as in 20ms, 2s, 5min, 1h'

/** A duration, in ms. Its unit is required, except for 0. */
export const duration: FieldType<number> = word(DURATION, (text, name) => {
  const ms = readDuration(text, name)
  return typeof ms === 'string' || ms <= MAX_DURATION_MS ? ms : `${name} is ${shown(text)}: at most 30 days, 720h`
})

/** A duration between two bounds in ms, inclusive. */
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
    return `${name} is ${shown(text)}: write a unit, ${text.trim()}s or ${text.trim()}ms`
  return value < 0 ? `${name} is ${shown(text)}: write 0s or more` : value
}

/** Durations are written in the largest unit that gives a whole number. */
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
