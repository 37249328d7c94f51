import { missingField, unknownField } from '@slotwire/contract'
import { nearest, shown } from '@slotwire/core'
import type { Entry, MapTree, Tree } from '@slotwire/storage'
import { nameOf } from './name-of.ts'
import type { Reading } from './reading.ts'

/** A type of value: its description and its parser. */
export interface FieldType<Value> {
  /** The expected form, for people: `slot/pin, as in 3/1`. */
  readonly wording: string
  /** Returns undefined for an invalid value and records the mistake. `name` names the value in messages. */
  readonly read: (tree: Tree, reading: Reading, name: string) => Value | undefined
}

/** A key of a step. */
export interface Field<Value> {
  readonly meaning: string
  readonly type: FieldType<unknown>
  readonly isNeeded: boolean
  /** Type information for the compiler; never set. */
  readonly values?: Value
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** Values of these fields after parsing. */
export type ValuesOf<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value : never
}

export function needed<Value>(type: FieldType<Value>, meaning: string): Field<Value> {
  return { type, meaning, isNeeded: true }
}

export function optional<Value>(type: FieldType<Value>, meaning: string): Field<Value | undefined> {
  return { type, meaning, isNeeded: false }
}

/** Reads a map by its fields. Returns undefined if anything is invalid, and records every mistake. */
export function readFields<Of extends Fields>(tree: MapTree, fields: Of, reading: Reading): ValuesOf<Of> | undefined {
  const faultsBefore = reading.faults.length
  const values: Record<string, unknown> = {}
  const meant = new Set<string | undefined>()
  for (const { key, keySpan, value } of tree.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field !== undefined) values[key] = field.type.read(value, reading, key)
    else {
      const known = Object.keys(fields)
      meant.add(nearest(key, known))
      reading.fail(keySpan, unknownField(shown(key), nearest(key, known), known))
    }
  }
  for (const [name, { isNeeded, type }] of Object.entries(fields)) {
    const isThere = tree.entries.some(({ key }) => key === name) || meant.has(name)
    if (isNeeded && !isThere) reading.fail(tree, missingField(name, type.wording))
  }
  return reading.faults.length === faultsBefore ? (values as ValuesOf<Of>) : undefined
}

/** `, did you mean pin?` if one of the names is similar. */
export function didYouMean(written: string, names: readonly string[]): string {
  const name = nearest(written, names)
  return name === undefined ? '' : `, did you mean ${name}?`
}

/** The text of a value; records a mistake for other values. */
export function textOf(tree: Tree, reading: Reading, name: string, wording: string): string | undefined {
  if (tree.kind === 'text') return tree.text
  return reading.fail(tree, tree.kind === 'nothing' ? missingField(name, wording) : `${name} is ${nameOf(tree)}: ${wording}`)
}

/** A type whose values are written as one text. `parse` records a mistake with `fail`, and returns undefined then. */
export function textType<Value>(
  wording: string,
  parse: (text: string, name: string, fail: (message: string) => undefined, reading: Reading) => Value | undefined,
): FieldType<Value> {
  return {
    wording,
    read: (tree, reading, name) => {
      const text = textOf(tree, reading, name, wording)
      return text === undefined ? undefined : parse(text, name, (message) => reading.fail(tree, message), reading)
    },
  }
}

/** Splits a map into entries of these fields and all others. */
export function splitByFields(tree: MapTree, fields: Fields): readonly [own: MapTree, others: MapTree] {
  const isOwn = ({ key }: Entry): boolean => Object.hasOwn(fields, key)
  return [
    { ...tree, entries: tree.entries.filter(isOwn) },
    { ...tree, entries: tree.entries.filter((entry) => !isOwn(entry)) },
  ]
}
