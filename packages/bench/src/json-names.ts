import { elementKinds, faultKinds } from '@slotwire/twin'

/** A name in code as it is in JSON and YAML: `lowVolts` is `low_volts`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The other way round: `low_volts` is `lowVolts`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

const kinds = [...Object.values(elementKinds), ...Object.values(faultKinds)]
/** Names that texts of the bench mention. A word like `mA` is none. */
const names = new Set([
  ...kinds.flatMap(({ kind, fields }) => [kind, ...Object.keys(fields)]),
  'ambientCelsius',
  'computerWatt',
  'loadMilliampere',
  'offsetMillivolt',
  'serialCode',
  'forMs',
])

/** A text of the bench with the names in it as they are in JSON. */
export function inJsonWords(text: string): string {
  return text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (word) => (names.has(word) ? snakeCase(word) : word))
}

/** Plain data with all its names as they are in JSON. */
export function withJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withJsonNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeCase(name), withJsonNames(part)]))
}

/** Settings of a body by their names in code. */
export function withCodeNames(body: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value]))
}
