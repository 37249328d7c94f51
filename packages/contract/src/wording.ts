import { alternatives, enumeration, quoted } from '@slotwire/core'
import type { Bounds, DecimalSchema, IntegerSchema, Schema } from './schema.ts'

/** A client's field name that a message shows as it is. */
const USUAL_NAME = /^\w[\w-]{0,39}$/

const withUnit = (words: string, unit: string | undefined) => (unit === undefined ? words : `${words} ${unit}`)

/** Inclusive bounds in words: `1…1000 ms`, or the given range text. */
export function rangeText({ min, max, unit, range }: Bounds): string {
  if (range !== undefined) return range
  if (min === undefined && max === undefined) return withUnit('any whole number', unit)
  if (max === undefined) return withUnit(`at least ${min}`, unit)
  if (min === undefined) return withUnit(`at most ${max}`, unit)
  return withUnit(`${min}…${max}`, unit)
}

/** The bounds of a schema. */
export function boundsOf({ minimum, maximum, 'x-unit': unit, 'x-range': range }: IntegerSchema | DecimalSchema): Bounds {
  return { min: minimum, max: maximum, unit, range }
}

/** The message for a number outside its bounds: `duration is out of range: 1…1000 ms, not 1500`. */
export function outOfRange(field: string, bounds: Bounds, value: unknown): string {
  return `${field} is out of range: ${rangeText(bounds)}${notValue(value)}`
}

/** The message for a value outside the allowed ones. */
export function notAllowed(field: string, allowed: string, value: unknown): string {
  return `${field} is not allowed: ${allowed}${notValue(value)}`
}

/** The refused value, behind what is allowed: `, not 1500`, `, not "hihg"`. Do not use it for free text: that can be a secret. */
export function notValue(value: unknown): string {
  return `, not ${typeof value === 'number' ? value : shownValue(value)}`
}

/** The expected value of a field, as the remedy if it is missing. */
export function expectation(schema: Schema): string {
  switch (schema.type) {
    case 'integer':
      if ('enum' in schema) return withUnit(alternatives(schema.enum), schema['x-unit'])
      return numberText('an integer', schema)
    case 'number':
      return numberText('a number', schema)
    case 'boolean':
      return 'true or false'
    case 'string':
      if ('enum' in schema) return alternatives(schema.enum)
      if ('const' in schema) return schema.const
      return schema['x-form'] ?? 'a string'
    case 'array': {
      if (schema.maxItems === undefined) return 'an array'
      const onePer = schema['x-one-per']
      return `an array of ${schema.maxItems} items${onePer === undefined ? '' : `, one per ${onePer}`}`
    }
    case 'object':
      return schema.additionalProperties ? 'an object' : `an object with ${enumeration(Object.keys(schema.properties))}`
  }
}

function numberText(noun: string, { minimum, maximum, 'x-unit': unit, 'x-range': range }: IntegerSchema | DecimalSchema): string {
  if (range !== undefined) return `${noun} (${range})`
  if (minimum === undefined && maximum === undefined) return unit === undefined ? noun : `${noun} in ${unit}`
  if (maximum === undefined) return withUnit(`${noun} of at least ${minimum}`, unit)
  if (minimum === undefined) return withUnit(`${noun} of at most ${maximum}`, unit)
  return withUnit(`${noun} from ${minimum} to ${maximum}`, unit)
}

/** A text, or the kind of another JSON value: `"hihg"`, `null`, `an array`, `a number`. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** A field name from the client, made safe and short. */
export function shownName(name: string): string {
  return USUAL_NAME.test(name) ? name : quoted(name)
}
