import { shown } from '@slotwire/core'
import type { Entry, Span } from '@slotwire/storage'
import {
  type Field as DeclaredField,
  type Fields as DeclaredFields,
  inSnakeNames,
  type Kind,
  type Settings,
  snakeName,
} from '@slotwire/twin'
import { didYouMean, type FieldType, unknownKey } from './field.ts'
import { quantity, textWithin, yesOrNo } from './field-types.ts'
import type { Reading } from './reading.ts'

/** Reads settings declared by the twin, under their names in code. Returns undefined if one is invalid. */
export function readDeclared(
  entries: readonly Entry[],
  fields: DeclaredFields,
  reading: Reading,
  what: string,
): Settings | undefined {
  const faultsBefore = reading.faults.length
  const known = new Map(Object.entries(fields).map(([name, field]) => [snakeName(name), { name, field }]))
  const settings: Record<string, number | boolean | string> = {}
  for (const { key, keySpan, value } of entries) {
    const found = known.get(key)
    if (found === undefined) {
      reading.fail(keySpan, unknownKey(key, what, [...known.keys()]))
      continue
    }
    const setting = valueType(found.field).read(value, reading, key)
    if (setting !== undefined) settings[found.name] = setting
  }
  return reading.faults.length === faultsBefore ? settings : undefined
}

function valueType(field: DeclaredField): FieldType<number | boolean | string> {
  if (field.type === 'text') return textWithin(field)
  return field.type === 'boolean' ? yesOrNo : quantity(field)
}

type KindOf<Made> = Kind & { from(given: Settings): Made }

/** Kinds of elements or faults by their names in YAML. */
export class KindTable<Made> {
  readonly #kinds: ReadonlyMap<string, KindOf<Made>>
  /** What a kind is called, with its article. */
  readonly #what: string

  constructor(what: string, kinds: readonly KindOf<Made>[]) {
    this.#what = what
    this.#kinds = new Map(kinds.map((kind) => [snakeName(kind.kind), kind]))
  }

  get names(): readonly string[] {
    return [...this.#kinds.keys()]
  }

  has(name: string): boolean {
    return this.#kinds.has(name)
  }

  /** Makes an element or a fault. One key of its settings names the kind: `source: 24V, ohms: 10k`. `at` is their place. */
  read(entries: readonly Entry[], at: Span, reading: Reading): Made | undefined {
    const kinds = entries.filter(({ key }) => this.has(key))
    const [named, second] = kinds
    if (second !== undefined)
      return reading.fail(second.keySpan, `${kinds.map(({ key }) => key).join(' and ')} are two kinds: write a step for each`)
    const kind = named && this.#kinds.get(named.key)
    if (named === undefined || kind === undefined) return this.#unknown(entries[0], at, reading)
    const settings = settingsOf(
      named,
      entries.filter((entry) => entry !== named),
      kind,
      reading,
    )
    const read = settings && readDeclared(settings, kind.fields, reading, named.key)
    if (read === undefined) return undefined
    try {
      return kind.from(read)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return reading.fail(named.keySpan, inSnakeNames(error.message))
    }
  }

  #unknown(first: Entry | undefined, at: Span, reading: Reading): undefined {
    const known = this.names.join(', ')
    if (first === undefined) return reading.fail(at, `${this.#what} is missing: one of ${known}`)
    const meant = didYouMean(first.key, this.names)
    return reading.fail(
      first.keySpan,
      `there is no ${this.#what.replace(/^an? /, '')} ${shown(first.key)}${meant || ':'} ${meant && 'There are '}${known}`,
    )
  }
}

/** The settings of a kind: its primary setting or a map of settings, and the settings beside it. */
function settingsOf(named: Entry, others: readonly Entry[], kind: Kind, reading: Reading): readonly Entry[] | undefined {
  const { key, value } = named
  if (value.kind === 'map') return [...value.entries, ...others]
  const saysNothing = value.kind === 'nothing' || (value.kind === 'text' && value.text === 'true')
  if (kind.primary !== undefined && !saysNothing) return [{ ...named, key: snakeName(kind.primary) }, ...others]
  if (saysNothing) return others
  return reading.fail(value, `${key} has no primary setting: write ${key}: { … }, with its settings by name`)
}
