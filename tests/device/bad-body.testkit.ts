import type { Endpoint, ObjectSchema, Schema } from '@slotwire/contract'

/** An invalid body, and what the error message must name. */
export interface BadBody {
  readonly title: string
  readonly body: unknown
  /** The message must contain each of them: the field and its bounds. */
  readonly names: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const OTHER_KINDS: readonly unknown[] = [null, true, false, 0, 1, 1.5, '', 'x', '1', [], [1], {}, { a: 1 }]
const STRANGE_NAMES = ['extra', '__proto__', 'constructor', 'toString', '', ' ', 'a"b\\c', 'ü\n', 'x'.repeat(300)]

function isOfKind(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof value === 'number'
    case 'boolean':
    case 'string':
      return typeof value === schema.type
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** What a message about a value of this schema must name: its bounds or the allowed words. */
function boundsOf(schema: Schema): string[] {
  if (schema.type === 'integer') {
    return ('enum' in schema ? schema.enum : [schema.minimum, schema.maximum]).flatMap((one) =>
      one === undefined ? [] : [`${one}`],
    )
  }
  if (schema.type === 'string') return 'enum' in schema ? [...schema.enum] : 'const' in schema ? [schema.const] : []
  return []
}

/** Values of the right kind that are not allowed. */
function wrongValues(schema: Schema, example: unknown): readonly unknown[] {
  if (schema.type === 'integer') {
    const allowed = 'enum' in schema ? schema.enum : undefined
    const { minimum, maximum } =
      'enum' in schema ? { minimum: Math.min(...schema.enum), maximum: Math.max(...schema.enum) } : schema
    const fractions = [Number(example) + 0.5, Number(example) + 1e-9, 5e-324]
    const below = minimum === undefined ? [] : [minimum - 1, minimum - 0.5, minimum - 256, minimum - 65_536, -(2 ** 53), -1e300]
    const above = maximum === undefined ? [] : [maximum + 1, maximum + 0.5, maximum + 2 ** 16, maximum + 2 ** 32, 2 ** 53, 1e300]
    const between = allowed?.flatMap((one) => [one + 1, one - 1]).filter((one) => !allowed.includes(one)) ?? []
    return [...fractions, ...below, ...above, ...between]
  }
  if (schema.type === 'string') {
    const words = boundsOf(schema)
    if (words.length === 0) return []
    const written = words.flatMap((word) => [word.toUpperCase(), capitalized(word), `${word} `, ` ${word}`, word.slice(1)])
    return ['', 'other', 'toString', '\u0000', ...written].filter((word) => !words.includes(word))
  }
  if (schema.type === 'array' && schema.maxItems !== undefined) {
    const items = example as readonly unknown[]
    return [[], items.slice(1), [...items, items[0]], [...items, ...items]]
  }
  return []
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function misspellings(name: string): string[] {
  return [name.toUpperCase(), capitalized(name), name.slice(1), `${name}s`, ` ${name}`, `${name}_`].filter(
    (written) => written !== name,
  )
}

/** Every way in which one value can be wrong, inside the whole body. */
function* wrongWithin(schema: Schema, example: unknown, field: string, put: (value: unknown) => unknown): Iterable<BadBody> {
  const otherKinds = OTHER_KINDS.filter((value) => !isOfKind(schema, value))
  for (const value of [...otherKinds, ...wrongValues(schema, example)]) {
    yield { title: `${field} is ${JSON.stringify(value)}`, body: put(value), names: [field, ...boundsOf(schema)] }
  }
  if (schema.type === 'array' && Array.isArray(example)) {
    for (const index of new Set([0, example.length - 1])) {
      const item = example[index] as unknown
      yield* wrongWithin(schema.items, item, `${field}[${index}]`, (value) => put(example.with(index, value)))
    }
  }
  if (schema.type === 'object') yield* wrongFields(schema, example as Json, `${field}.`, put)
}

function* wrongFields(schema: ObjectSchema, example: Json, prefix: string, put: (value: unknown) => unknown): Iterable<BadBody> {
  for (const name of STRANGE_NAMES.filter((strange) => !Object.hasOwn(schema.properties, strange))) {
    // An assignment to `__proto__` would set the prototype; in JSON text it is an ordinary field.
    const body = put(Object.fromEntries([...Object.entries(example), [name, 1]]))
    yield {
      title: `${prefix}${name} is unknown`,
      body,
      names: [/^\w+$/.test(name) && name.length < 40 ? `${prefix}${name}` : prefix],
    }
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    const { [name]: value, ...others } = example
    if (schema.required.includes(name)) {
      yield { title: `${prefix}${name} is missing`, body: put(others), names: [`${prefix}${name}`] }
    }
    for (const written of misspellings(name)) {
      if (Object.hasOwn(schema.properties, written)) continue
      yield { title: `${prefix}${name} is written ${written}`, body: put({ ...others, [written]: value }), names: [prefix, name] }
    }
    yield* wrongWithin(property, value, `${prefix}${name}`, (wrong) => put({ ...example, [name]: wrong }))
  }
}

/** Every way in which the body of an endpoint can be wrong, one at a time. */
export function* badBodies({ body: schema, example }: Endpoint): Iterable<BadBody> {
  if (schema === undefined || example === undefined) return
  for (const body of OTHER_KINDS) {
    if (!isOfKind(schema, body)) yield { title: `the body is ${JSON.stringify(body)}`, body, names: ['the body'] }
  }
  if (schema.required.length > 0) yield { title: 'the body is {}', body: {}, names: schema.required.slice(0, 1) }
  yield* wrongFields(schema, example, '', (body) => body)
}

/** Bodies with one value on a bound of its schema, with each allowed word, or without an optional field. */
export function* bodiesOnBounds({ body: schema, example }: Endpoint): Iterable<Json> {
  if (schema === undefined || example === undefined) return
  yield example
  yield* variants(schema, example) as Iterable<Json>
}

function* variants(schema: Schema, example: unknown): Iterable<unknown> {
  switch (schema.type) {
    case 'integer':
      yield* 'enum' in schema ? schema.enum : [schema.minimum, schema.maximum].filter((bound) => bound !== undefined)
      break
    case 'boolean':
      yield* [true, false]
      break
    case 'string':
      yield* 'enum' in schema ? schema.enum : []
      break
    case 'number':
      break
    case 'array':
      for (const [index, item] of (example as unknown[]).entries()) {
        for (const value of variants(schema.items, item)) yield (example as unknown[]).with(index, value)
      }
      break
    case 'object':
      for (const [name, property] of Object.entries(schema.properties)) {
        const { [name]: value, ...others } = example as Json
        if (!schema.required.includes(name)) yield others
        for (const other of variants(property, value)) yield { ...others, [name]: other }
      }
  }
}
