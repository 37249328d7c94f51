import { missingField, shown } from '@slotwire/core'

/** A part of the text, as offsets; `end` is after its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** An empty value: `names:`, `names: null`. */
export interface NothingTree extends Span {
  readonly kind: 'nothing'
}

/** A value is the text as written, even if YAML would convert it: `443`, `off`. */
export interface TextTree extends Span {
  readonly kind: 'text'
  readonly text: string
  /** In quotes: a text, not a number or a range. */
  readonly isQuoted: boolean
}

export interface ListTree extends Span {
  readonly kind: 'list'
  readonly items: readonly Tree[]
}

export interface MapTree extends Span {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}

/** The content of a YAML text, with its places. */
export type Tree = NothingTree | TextTree | ListTree | MapTree

export interface Entry {
  readonly key: string
  readonly keySpan: Span
  readonly value: Tree
}

/** The text of a value that is one word. Throws `RangeError` for others; `wording` is how the value is written. */
export function textOf(tree: Tree, name: string, wording: string): string {
  if (tree.kind === 'text') return tree.text
  throw new RangeError(tree.kind === 'nothing' ? missingField(name, wording) : `${name} is ${shownTree(tree)}: ${wording}`)
}

/** A value in a message: its text, or what it is. */
export function shownTree(tree: Tree): string {
  if (tree.kind === 'text') return shown(tree.text)
  return { nothing: 'nothing', list: 'a list', map: 'a group of settings' }[tree.kind]
}
