import { formed } from './fields.ts'
import { fromText } from './quantity.ts'
import type { DecimalSchema, Schema, ValueOf } from './schema.ts'
import { checked, mistake } from './validation.ts'
import { boundsOf, expectation, notAllowed, outOfRange, rangeText } from './wording.ts'

/** A value that people write as one word: in YAML, or on a command line. */
export interface WordType<Value> {
  /** How it is written, for people: `a pin as slot/pin, as in 3/1`. */
  readonly wording: string
  /** Throws `RangeError` with the sentence that JSON gets for the same mistake. `name` is the name of the field. */
  readonly read: (text: string, name: string) => Value
}

/** A value of a schema. */
export function wordOf<Of extends Schema>(schema: Of, wording = wordingOf(schema)): WordType<ValueOf<Of>> {
  return { wording, read: (text, name) => checked(name, schema, fromText(text, schema)) as ValueOf<Of> }
}

/** A value of a form that no schema has; `valueOf` returns undefined for other texts. */
export function wordOfForm<Value>(wording: string, valueOf: (text: string) => Value | undefined): WordType<Value> {
  const read = (text: string, name: string): Value => {
    const value = valueOf(text)
    if (value !== undefined) return value
    throw new RangeError(notAllowed(name, wording, text))
  }
  return { wording, read }
}

/** A text for which this is true. */
export const textOfForm = (wording: string, fits: (text: string) => boolean): WordType<string> =>
  wordOfForm(wording, (text) => (fits(text) ? text : undefined))

/** A pin. */
export const pinPlace = wordOf(formed('^[0-7]/[1-6]$', 'a pin as slot/pin, as in 3/1'))

/** A time in ms. Its unit is required, except for 0. */
export function duration(schema: DecimalSchema): WordType<number> {
  const read = (text: string, name: string): number => {
    const ms = fromText(text, schema)
    if (typeof ms === 'number' && ms !== 0 && /[\d.]$/.test(text.trim()))
      throw new RangeError(`${name} needs a unit: write ${text.trim()}s or ${text.trim()}ms`)
    if (typeof ms !== 'number' || mistake(schema, ms, name) === undefined) return Number(checked(name, schema, ms))
    throw new RangeError(outOfRange(name, boundsOf(schema), text))
  }
  return { wording: 'a time with its unit, as in 20ms, 2s, 5min, 1h', read }
}

/** How a value is written, for tables: `0…1 V`. */
function wordingOf(schema: Schema): string {
  if (schema.type === 'string' && 'enum' in schema) return schema.enum.join(', ')
  if (schema.type === 'string' && 'maxLength' in schema) return `text, at most ${schema.maxLength} characters`
  if ((schema.type !== 'integer' && schema.type !== 'number') || 'enum' in schema) return expectation(schema)
  const range = rangeText(boundsOf(schema))
  return schema.type === 'integer' ? `a whole number, ${range}` : range
}
