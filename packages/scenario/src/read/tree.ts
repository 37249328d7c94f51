import { visible } from '@slotwire/core'

/** A part of the text, as offsets; `end` is behind its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value that is there but says nothing: `short:`, `short: null`. */
export interface NothingTree extends Span {
  readonly kind: 'nothing'
}

/** A single value as it was written. */
export interface TextTree extends Span {
  readonly kind: 'text'
  readonly text: string
  /** In quotes: the text is meant as it is, not as a number or a range. */
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

/** What YAML gives, with its place in the text. */
export type Tree = NothingTree | TextTree | ListTree | MapTree

export interface Entry {
  readonly key: string
  readonly keySpan: Span
  readonly value: Tree
}

/** What a value is, for a message: `a list`. */
export function nameOf(tree: Tree): string {
  switch (tree.kind) {
    case 'nothing':
      return 'nothing'
    case 'text':
      return shown(tree.text)
    case 'list':
      return 'a list'
    case 'map':
      return 'a group of settings'
  }
}

/** A word of a message is shown so long at most. */
const SHOWN_LENGTH = 40

/** What somebody wrote, as a message repeats it. */
export function shown(text: string, mostCharacters = SHOWN_LENGTH): string {
  return text === '' ? '""' : visible(text, mostCharacters)
}
