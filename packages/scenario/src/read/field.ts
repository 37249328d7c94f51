import type { WordType } from '@slotwire/contract'
import { missingField, nearest, shown, unknownField } from '@slotwire/core'
import { type Entry, type MapTree, type Span, type Tree, textOf } from '@slotwire/storage'
import type { ParseState } from './parse-state.ts'

/** A type of value: its description and its parser. */
export interface FieldType<Value> {
  /** The expected form, for people: `slot/pin, as in 3/1`. */
  readonly wording: string
  /** Returns undefined for an invalid value and records the mistake. `name` names the value in messages. */
  readonly read: (tree: Tree, state: ParseState, name: string) => Value | undefined
}

/** A key of a step. */
export interface StepField<Value> {
  readonly meaning: string
  readonly type: FieldType<unknown>
  readonly isNeeded: boolean
  /** Type information for the compiler; never set. */
  readonly values?: Value
}

export type StepFields = Readonly<Record<string, StepField<unknown>>>

/** Values of these fields after parsing. */
export type ValuesOf<Of extends StepFields> = {
  readonly [Name in keyof Of]: Of[Name] extends StepField<infer Value> ? Value : never
}

export function needed<Value>(type: FieldType<Value>, meaning: string): StepField<Value> {
  return { type, meaning, isNeeded: true }
}

export function optional<Value>(type: FieldType<Value>, meaning: string): StepField<Value | undefined> {
  return { type, meaning, isNeeded: false }
}

/** Keys that a map may have. */
export interface Keys {
  readonly known: readonly string[]
  /** Keys that must be there, with how their values are written. */
  readonly needed: readonly (readonly [name: string, wording: string])[]
  /** The field that a key means; undefined for an unknown key. */
  readonly find: (key: string) => { readonly name: string; readonly type: FieldType<unknown> } | undefined
}

/** Reads the values of entries, and records every mistake at its place, a missing key at `place`. `prefix`: the path of the map with its dot. */
export function readEntries(
  entries: readonly Entry[],
  { known, needed: wanted, find }: Keys,
  state: ParseState,
  place: Span,
  prefix = '',
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const written = new Set<string | undefined>()
  for (const { key, keySpan, value } of entries) {
    const field = find(key)
    const meant = nearest(key, known)
    written.add(field?.name ?? meant)
    if (field !== undefined) values[field.name] = field.type.read(value, state, `${prefix}${key}`)
    else state.fail(keySpan, unknownField(`${prefix}${shown(key)}`, meant, known))
  }
  for (const [name, wording] of wanted) if (!written.has(name)) state.fail(place, missingField(`${prefix}${name}`, wording))
  return values
}

/** Reads a map by its fields. Returns undefined if anything is invalid, and records every mistake. */
export function readFields<Of extends StepFields>(tree: MapTree, fields: Of, state: ParseState): ValuesOf<Of> | undefined {
  const before = state.faults.length
  const all = Object.entries(fields)
  const types = new Map(all.map(([name, { type }]) => [name, { name, type }]))
  const keys: Keys = {
    known: Object.keys(fields),
    needed: all.flatMap(([name, { isNeeded, type }]) => (isNeeded ? [[name, type.wording] as const] : [])),
    find: (key) => types.get(key),
  }
  const values = readEntries(tree.entries, keys, state, tree)
  return state.faults.length === before ? (values as ValuesOf<Of>) : undefined
}

/** `, did you mean pin?` if one of the names is similar. */
export function didYouMean(written: string, names: readonly string[]): string {
  const name = nearest(written, names)
  return name === undefined ? '' : `, did you mean ${name}?`
}

/** A type whose values are written as one text. `parse` throws `RangeError` with the mistake. */
export function textType<Value>(
  wording: string,
  parse: (text: string, name: string, state: ParseState) => Value,
): FieldType<Value> {
  return {
    wording,
    read: (tree, state, name) => {
      try {
        return parse(textOf(tree, name, wording), name, state)
      } catch (error) {
        if (error instanceof RangeError) return state.fail(tree, error.message)
        throw error
      }
    },
  }
}

/** A type whose values are words. */
export const word = <Value>({ wording, read }: WordType<Value>): FieldType<Value> => textType(wording, read)

/** Splits a map into entries of these fields and all others. */
export function splitByFields(tree: MapTree, fields: StepFields): readonly [own: MapTree, others: MapTree] {
  const isOwn = ({ key }: Entry): boolean => Object.hasOwn(fields, key)
  return [
    { ...tree, entries: tree.entries.filter(isOwn) },
    { ...tree, entries: tree.entries.filter((entry) => !isOwn(entry)) },
  ]
}
