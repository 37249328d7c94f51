import { nearest, shown } from '@slotwire/core'
import type { Entry, MapTree, Tree } from '@slotwire/storage'
import { nameOf } from './name-of.ts'
import type { Reading } from './reading.ts'

/** A kind of value: what may be written, and how it is read. */
export interface FieldType<Value> {
  /** What may be written, for people: `slot/pin, as in 3/1`. */
  readonly wording: string
  /** Undefined where it is wrong: then the mistake is noted. `name` is what the value is called. */
  readonly read: (tree: Tree, reading: Reading, name: string) => Value | undefined
}

/** A key of a step. */
export interface Field<Value> {
  readonly meaning: string
  readonly type: FieldType<unknown>
  readonly isNeeded: boolean
  /** Never there: what the values of this field are, for the compiler. */
  readonly values?: Value
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** What is read by fields. */
export type ValuesOf<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value : never
}

export function needed<Value>(type: FieldType<Value>, meaning: string): Field<Value> {
  return { type, meaning, isNeeded: true }
}

export function optional<Value>(type: FieldType<Value>, meaning: string): Field<Value | undefined> {
  return { type, meaning, isNeeded: false }
}

/** Reads a map by its fields. Undefined where anything is wrong: then every mistake is noted. `what` is what takes the fields. */
export function readFields<Of extends Fields>(
  tree: MapTree,
  fields: Of,
  reading: Reading,
  what: string,
): ValuesOf<Of> | undefined {
  const faultsBefore = reading.faults.length
  const values: Record<string, unknown> = {}
  const meant = new Set<string | undefined>()
  for (const { key, keySpan, value } of tree.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field !== undefined) values[key] = field.type.read(value, reading, key)
    else reading.fail(keySpan, unknownKey(key, what, Object.keys(fields)))
    if (field === undefined) meant.add(nearest(key, Object.keys(fields)))
  }
  for (const [name, { isNeeded, type }] of Object.entries(fields)) {
    const isThere = tree.entries.some(({ key }) => key === name) || meant.has(name)
    if (isNeeded && !isThere) reading.fail(tree, `${what} needs ${name}: ${type.wording}`)
  }
  return reading.faults.length === faultsBefore ? (values as ValuesOf<Of>) : undefined
}

/** As in `connect has no pni, did you mean pin? It takes pin, to, as`. */
export function unknownKey(key: string, what: string, known: readonly string[]): string {
  const meant = didYouMean(key, known)
  return `${what} has no ${shown(key)}${meant === '' ? ':' : `${meant} It`} ${meant === '' ? 'it ' : ''}takes ${known.join(', ') || 'nothing'}`
}

/** `, did you mean pin?` where one of the names is near. */
export function didYouMean(written: string, names: readonly string[]): string {
  const name = nearest(written, names)
  return name === undefined ? '' : `, did you mean ${name}?`
}

/** The text of a value; a mistake where it is something else. */
export function textOf(tree: Tree, reading: Reading, name: string, wording: string): string | undefined {
  if (tree.kind === 'text') return tree.text
  return reading.fail(tree, tree.kind === 'nothing' ? `${name} is missing: ${wording}` : `${name} is ${nameOf(tree)}: ${wording}`)
}

/** A map in two: what is of these fields, and all else. */
export function parted(tree: MapTree, fields: Fields): readonly [own: MapTree, others: MapTree] {
  const isOwn = ({ key }: Entry): boolean => Object.hasOwn(fields, key)
  return [
    { ...tree, entries: tree.entries.filter(isOwn) },
    { ...tree, entries: tree.entries.filter((entry) => !isOwn(entry)) },
  ]
}
