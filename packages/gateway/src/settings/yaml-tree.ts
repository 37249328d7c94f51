import type { Node, Pair } from 'yaml'
import { yaml } from '../yaml-library.ts'
import { shownKey } from './problem.ts'
import { eachToken, type Fault, yamlFaults } from './yaml-fault.ts'

/** A part of the text, as offsets; `end` is behind its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value that is there but says nothing: `names:`, `names: null`. */
export interface NothingTree extends Span {
  readonly kind: 'nothing'
}

/** Whatever YAML would make of it, a value is what was written: `443`, `"443"`, `off`. */
export interface TextTree extends Span {
  readonly kind: 'text'
  readonly text: string
}

export interface ListTree extends Span {
  readonly kind: 'list'
  /** Written in brackets. */
  readonly flow: boolean
  readonly items: readonly Tree[]
}

export interface MapTree extends Span {
  readonly kind: 'map'
  /** Written in braces. */
  readonly flow: boolean
  readonly entries: readonly Entry[]
}

export type Tree = NothingTree | TextTree | ListTree | MapTree

/** `keyAt` and `keyEnd` are the offsets of the key. */
export interface Entry {
  readonly key: string
  readonly keyAt: number
  readonly keyEnd: number
  readonly value: Tree
}

/** Of a text that is not a map at its top, `root` has no entries, and there is a fault. */
export interface ReadTree {
  readonly root: MapTree
  readonly faults: readonly Fault[]
  /** Where the text ceases to be YAML: what is read behind it may have been meant in any way. */
  readonly brokenAt: number
  /** Line of an offset, from 1. */
  readonly lineOf: (offset: number) => number
}

/** Settings are three levels deep; the library's recursion must never come near the end of the stack. */
const MOST_LEVELS = 8
const TOO_DEEP = 'is nested too deeply: a setting stands at the top, or in one group'

/** Texts that YAML takes for no value when they are not in quotes. */
const NULL = /^(~|null|Null|NULL)?$/

/** Reads a text as YAML, with failsafe types: every value is text. Never throws; anchors, tags and duplicates are faults. */
export function readTree(text: string): ReadTree {
  const { Composer, LineCounter, Parser } = yaml()
  const lines = new LineCounter()
  const lineOf = (offset: number) => Math.max(lines.linePos(offset).line, 1)
  const nothing = (...faults: Fault[]): ReadTree => ({ root: emptyMap(text), faults, lineOf, brokenAt: 0 })
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  for (const { token, level } of eachToken(tokens)) {
    if (level > MOST_LEVELS) return nothing({ at: token.offset, key: undefined, message: TOO_DEEP })
  }
  const [document, second] = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false }).compose(tokens, true)
  if (document === undefined) return nothing()
  const broken = yamlFaults(document.errors, tokens)
  const brokenAt = Math.min(...broken.map(({ at }) => at))
  const builder = new TreeBuilder(text, lineOf)
  const directive = tokens.find(({ type }) => type === 'directive')
  if (directive !== undefined) builder.add(directive.offset, 'a % directive has no meaning here: remove it')
  if (second !== undefined) builder.add(second.range[0], 'a second document (---) has no meaning here: write everything in one')
  const root = builder.build(document.contents, undefined, 0)
  if (root.kind === 'text' || root.kind === 'list')
    builder.add(root.start, 'is no list of settings: write key: value in each line')
  const faults = [...broken, ...builder.faults.filter(({ at }) => at < brokenAt)]
  return { root: root.kind === 'map' ? root : emptyMap(text), faults, lineOf, brokenAt }
}

const emptyMap = ({ length }: string): MapTree => ({ kind: 'map', start: length, end: length, flow: false, entries: [] })

/** Makes a tree of the library's nodes, and refuses what settings have no use for. */
class TreeBuilder {
  readonly faults: Fault[] = []
  readonly #text: string
  readonly #lineOf: (offset: number) => number

  constructor(text: string, lineOf: (offset: number) => number) {
    this.#text = text
    this.#lineOf = lineOf
  }

  add(at: number, message: string, key?: string): void {
    this.faults.push({ at, key, message })
  }

  /** `key` is what the value belongs to, undefined at the top; `at` is where it would stand if it is missing. */
  build(node: Node | null, key: string | undefined, at: number): Tree {
    const { isAlias, isMap, isScalar, isSeq } = yaml()
    const start = node?.range?.[0] ?? at
    const end = this.#trimmed(start, node?.range?.[1] ?? at)
    if (node === null) return { kind: 'nothing', start, end }
    if (isAlias(node) || node.anchor !== undefined) {
      this.add(start, 'anchors and aliases (& and *) are not used here: write the value out', key)
      return { kind: 'nothing', start, end }
    }
    if (node.tag !== undefined) this.add(start, 'tags (!) are not used here: write the value alone', key)
    if (isMap<Node, Node | null>(node)) return this.#map(node.items, { start, end, flow: node.flow === true }, key)
    if (isSeq<Node>(node)) {
      const items = node.items.map((item) => this.build(item, key, start))
      const flow = node.flow === true
      return { kind: 'list', start, end: flow ? end : (items.at(-1)?.end ?? end), flow, items }
    }
    const text = isScalar(node) ? String(node.value) : ''
    if (isScalar(node) && node.type === 'PLAIN' && NULL.test(text)) return { kind: 'nothing', start, end }
    return { kind: 'text', start, end, text }
  }

  #map(pairs: readonly Pair<Node, Node | null>[], span: Span & { readonly flow: boolean }, group: string | undefined): MapTree {
    const entries: Entry[] = []
    for (const { key: node, value } of pairs) {
      const written = this.build(node, group, span.start)
      if (written.kind !== 'text') {
        this.add(written.start, 'is no key: write key: value', group)
        continue
      }
      const { text: key, start: keyAt, end: keyEnd } = written
      const full = shownKey(group === undefined ? key : `${group}.${key}`)
      const first = entries.find((other) => other.key === key)
      if (first === undefined) entries.push({ key, keyAt, keyEnd, value: this.build(value, full, keyEnd) })
      else this.add(keyAt, `is there twice, first in line ${this.#lineOf(first.keyAt)}: remove one`, full)
    }
    const last = entries.at(-1)
    const end = span.flow || last === undefined ? span.end : Math.max(last.keyEnd, last.value.end)
    return { kind: 'map', ...span, end, entries }
  }

  /** The end without the spaces and line ends that the library counts to a value. */
  #trimmed(start: number, end: number): number {
    return start + this.#text.slice(start, end).trimEnd().length
  }
}
