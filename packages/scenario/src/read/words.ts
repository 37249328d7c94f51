import type { ObjectSchema } from '@slotwire/contract'
import type { Entry, Tree } from '@slotwire/storage'
import type { ModuleCatalog } from '../catalog.ts'
import { ParseState } from './parse-state.ts'
import { kindsOf, readObject } from './schema-type.ts'

/** The fields that may be written without their names, in order: the one that may stand alone, then those that are needed. */
export function plainFields({ properties, required, 'x-alone': alone }: ObjectSchema): readonly string[] {
  const needed = required.filter((name) => name !== alone && properties[name]?.type !== 'object')
  return alone === undefined ? needed : [alone, ...needed]
}

interface Words {
  readonly name: string
  readonly schema: ObjectSchema
  readonly catalog: ModuleCatalog
  /** The text of a file, for `csv_file`. */
  readonly readFile: (name: string) => string
}

/**
 * Reads the fields of an action from words of a command line: `3/1 source=24V ohms=10k`. A word without `=` is the next plain field, or a
 * kind. Throws `RangeError` with the first mistake.
 */
export function readWords(
  words: readonly string[],
  { name, schema, catalog, readFile }: Words,
): Readonly<Record<string, unknown>> {
  const inner = Object.entries(schema.properties).find(([, field]) => field.type === 'object' && kindsOf(field).length > 0)
  const plain = plainFields(schema).flatMap((field) => {
    const { type, maxItems = 1 } = (schema.properties[field] ?? {}) as { readonly type?: string; readonly maxItems?: number }
    return type === 'array' ? Array.from({ length: maxItems }, () => field) : [field]
  })
  const lists = new Map<string, Tree[]>()
  const own: Entry[] = []
  const ofKind: Entry[] = []
  for (const word of words) {
    const [, key, value] = /^([a-z]\w*)=(.*)$/s.exec(word) ?? []
    const field = key ?? plain.shift() ?? word
    const isOwn =
      Object.hasOwn(schema.properties, field) || Object.hasOwn(schema.properties, `${field}_ms`) || inner === undefined
    const to = isOwn ? own : ofKind
    const written = key === undefined ? (field === word ? undefined : word) : value
    if (schema.properties[field]?.type !== 'array') to.push(entry(field, written === undefined ? nothing : text(written)))
    else lists.set(field, [...(lists.get(field) ?? []), ...(written ?? '').split(',').map(text)])
  }
  for (const [field, items] of lists) own.push(entry(field, { kind: 'list', start: 0, end: 0, items }))
  if (inner !== undefined && ofKind.length > 0) own.push(entry(inner[0], { kind: 'map', start: 0, end: 0, entries: ofKind }))
  const state = new ParseState(catalog, readFile, true)
  const values = readObject({ kind: 'map', start: 0, end: 0, entries: own }, schema, state, name, NOWHERE)
  if (values === undefined) throw new RangeError(state.faults[0]?.message)
  return values
}

const NOWHERE = { start: 0, end: 0 }
const nothing: Tree = { kind: 'nothing', ...NOWHERE }
const text = (word: string): Tree => ({ kind: 'text', ...NOWHERE, text: word, isQuoted: false })
const entry = (key: string, value: Tree): Entry => ({ key, keySpan: NOWHERE, value })
