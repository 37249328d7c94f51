import { elementKinds } from '../circuit/elements/index.ts'
import { faultKinds } from '../faults/index.ts'

const kinds = [...Object.values(elementKinds), ...Object.values(faultKinds)]
/** Names that messages of the bench mention. Units like `mA` are not included. */
const names = new Set([
  ...kinds.flatMap(({ kind, fields }) => [kind, ...Object.keys(fields)]),
  'ambientCelsius',
  'computerWatt',
  'loadMilliampere',
  'offsetMillivolt',
  'serialCode',
  'forMs',
])

/** Converts a name in code to its form in JSON and YAML: `lowVolts` to `low_volts`. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Converts the names in a message of the twin to their form in JSON and YAML; functions too: `killService()` to `kill_service`. `others`
 * are further names: settings of module types.
 */
export function inSnakeNames(message: string, others: readonly string[] = []): string {
  return message.replaceAll(/\b([a-z][a-z\d]*[A-Z]\w*)(\(\))?/g, (word: string, name: string, called: string | undefined) =>
    names.has(name) || others.includes(name) || called !== undefined ? snakeName(name) : word,
  )
}

/** Converts all names in plain data to their form in JSON and YAML. */
export function withSnakeNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeName(name), withSnakeNames(part)]))
}

/** Converts the names of JSON and YAML to names in code: `low_volts` to `lowVolts`. */
export function inCodeNames(values: object): Readonly<Record<string, unknown>> {
  const codeName = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [codeName(name), value]))
}
