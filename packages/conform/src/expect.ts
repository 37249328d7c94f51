import { isDeepStrictEqual } from 'node:util'

/** The device does not conform. */
export class Mismatch extends Error {}

/** The check cannot judge this device, for the reason in the message. */
export class Unjudged extends Error {}

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value)

/** Throws `Mismatch` unless the value is as expected. */
export function equal(seen: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(seen, expected)) throw new Mismatch(`${what}: expected ${shown(expected)}, got ${shown(seen)}`)
}

/** Throws `Mismatch` unless the condition holds. `seen` is what the device answered. */
export function that(holds: boolean, what: string, seen?: unknown): asserts holds {
  if (!holds) throw new Mismatch(`expected ${what}${seen === undefined ? '' : `, got ${shown(seen)}`}`)
}

/** A test of a value: a word for its type, the allowed words or numbers, a list of one shape, or the shape of an object. */
export type Shape =
  | 'uint'
  | 'float'
  | 'bool'
  | 'text'
  | readonly unknown[]
  | { readonly each: Shape }
  | { readonly [name: string]: Shape }

const isWords = (shape: Shape): shape is readonly unknown[] => Array.isArray(shape)

/** Throws `Mismatch` unless a value has the fields of a shape. More fields may be added. */
export function hasShape(value: unknown, shape: Shape, at = 'body'): void {
  if (shape === 'uint') return that(Number.isSafeInteger(value) && Number(value) >= 0, `${at}: a whole number from 0`, value)
  if (shape === 'float') return that(typeof value === 'number', `${at}: a number`, value)
  if (shape === 'bool') return that(typeof value === 'boolean', `${at}: true or false`, value)
  if (shape === 'text') return that(typeof value === 'string', `${at}: a string`, value)
  if (isWords(shape)) return that(shape.includes(value), `${at}: one of ${shape.join(', ')}`, value)
  that(typeof value === 'object' && value !== null, `${at}: an object or a list`, value)
  const { each, ...fields } = shape as Readonly<Record<string, Shape>>
  if (each === undefined) {
    for (const [name, part] of Object.entries(fields)) hasShape((value as Record<string, unknown>)[name], part, `${at}.${name}`)
    return
  }
  that(Array.isArray(value), `${at}: a list`, value)
  value.forEach((item: unknown, index) => hasShape(item, each, `${at}[${index}]`))
}
