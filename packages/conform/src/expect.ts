import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '@slotwire/core'

/** The device does not conform. */
export class Mismatch extends Error {}

/** The check cannot judge this device, for the reason in the message. */
export class Unjudged extends Error {}

const plain = (_: string, part: unknown): unknown => (part instanceof Map ? [...part] : part)
const shown = (value: unknown): string => JSON.stringify(value, plain) ?? String(value)

/** Throws `Mismatch` unless the value is as expected. */
export function equal(seen: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(seen, expected)) throw new Mismatch(`${what}: expected ${shown(expected)}, got ${shown(seen)}`)
}

/** Throws `Mismatch` unless the condition holds. `seen` is what the device answered. */
export function that(holds: boolean, what: string, seen?: unknown): asserts holds {
  if (!holds) throw new Mismatch(`expected ${what}${seen === undefined ? '' : `, got ${shown(seen)}`}`)
}

const kinds = {
  uint: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  float: (value: unknown) => typeof value === 'number',
  bool: (value: unknown) => typeof value === 'boolean',
  text: (value: unknown) => typeof value === 'string',
}
/** A test of a value: a word for its type, the allowed words or numbers, a list of one shape, or the shape of an object. */
export type Shape = keyof typeof kinds | readonly unknown[] | { readonly each: Shape } | { readonly [name: string]: Shape }

const isWords = (shape: Shape): shape is readonly unknown[] => Array.isArray(shape)

/** Throws `Mismatch` unless a value has the fields of a shape. More fields may be added. */
export function hasShape(value: unknown, shape: Shape, at = 'body'): void {
  if (typeof shape === 'string') return that(kinds[shape](value), `${at} to be of type ${shape}`, value)
  if (isWords(shape)) return that(shape.includes(value), `${at} to be one of ${shape.join(', ')}`, value)
  const { each, ...fields } = shape as Readonly<Record<string, Shape>>
  if (each !== undefined) {
    that(Array.isArray(value), `${at} to be a list`, value)
    for (const [index, item] of value.entries()) hasShape(item, each, `${at}[${index}]`)
    return
  }
  that(isRecord(value), `${at} to be an object`, value)
  for (const [name, part] of Object.entries(fields)) hasShape(value[name], part, `${at}.${name}`)
}
