/** A part of the text, as offsets; `end` is behind its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value that is there but says nothing: `names:`, `names: null`. */
export interface NothingTree extends Span {
  readonly kind: 'nothing'
}

/** Whatever YAML would make of it, a value is what was written: `443`, `off`. */
export interface TextTree extends Span {
  readonly kind: 'text'
  readonly text: string
  /** In quotes: the text is meant as it is, not as a number or a range. */
  readonly isQuoted: boolean
}

export interface ListTree extends Span {
  readonly kind: 'list'
  /** Written in brackets. */
  readonly isFlow: boolean
  readonly items: readonly Tree[]
}

export interface MapTree extends Span {
  readonly kind: 'map'
  /** Written in braces. */
  readonly isFlow: boolean
  readonly entries: readonly Entry[]
}

/** What a text in YAML says, with its places. */
export type Tree = NothingTree | TextTree | ListTree | MapTree

export interface Entry {
  readonly key: string
  readonly keySpan: Span
  readonly value: Tree
}
