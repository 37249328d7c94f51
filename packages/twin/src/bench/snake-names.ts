import { elementKinds } from '../circuit/elements/index.ts'
import { faultKinds } from '../faults/fault-kinds.ts'

const kinds = [...Object.values(elementKinds), ...Object.values(faultKinds)]
/** Names that messages of the bench mention. A unit like `mA` is none. */
const names = new Set([
  ...kinds.flatMap(({ kind, fields }) => [kind, ...Object.keys(fields)]),
  'ambientCelsius',
  'computerWatt',
  'loadMilliampere',
  'offsetMillivolt',
  'serialCode',
  'forMs',
])

/** A name in code as it is in JSON and YAML: `lowVolts` is `low_volts`. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * A message of the twin with its names as they are in JSON and YAML; of functions, too: `killService()` is `kill_service`. `others` are names
 * that the twin does not know: settings of module types.
 */
export function inSnakeNames(message: string, others: readonly string[] = []): string {
  return message.replaceAll(/\b([a-z][a-z\d]*[A-Z]\w*)(\(\))?/g, (word: string, name: string, called: string | undefined) =>
    names.has(name) || others.includes(name) || called !== undefined ? snakeName(name) : word,
  )
}

/** Plain data with all its names as they are in JSON and YAML. */
export function withSnakeNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeName(name), withSnakeNames(part)]))
}
