import { type DecimalSchema, decimal, fromText, mistake } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import type { FieldType } from './field.ts'
import { word } from './field-types.ts'

/** Longest duration in a scenario: 30 days, in ms. */
export const MAX_DURATION_MS = 2_592_000_000

/** A duration, in ms. Its unit is required, except for 0. */
export function durationOf(schema: DecimalSchema): FieldType<number> {
  return word('a time with its unit, as in 20ms, 2s, 5min, 1h', (text, name) => {
    const ms = fromText(text, schema)
    if (typeof ms === 'number' && ms !== 0 && /[\d.]$/.test(text.trim()))
      return `${name} is ${shown(text)}: write a unit, ${text.trim()}s or ${text.trim()}ms`
    return mistake(schema, ms, name) ?? (ms as number)
  })
}

export const duration = durationOf(decimal({ unit: 'ms', min: 0, max: MAX_DURATION_MS }))
