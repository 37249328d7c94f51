import { createRequire } from 'node:module'
import { missingField, shown, visible } from '@slotwire/core'
import type * as Yaml from 'yaml'

export type { Document as YamlDocument } from 'yaml'

const require = createRequire(import.meta.url)
let library: typeof Yaml | undefined

/** The YAML library, loaded when the first file is read: a service without such files saves its time and memory. */
export function yaml(): typeof Yaml {
  library ??= require('yaml') as typeof Yaml
  return library
}

/** A part of the text, as offsets; `end` is after its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface MapTree extends Span {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}

/**
 * The content of a YAML text, with its places. `nothing` is an empty value: `names:`, `names: null`. A value is the text as written, even if
 * YAML would convert it: `443`, `off`. In quotes it is a text, not a number or a range.
 */
export type Tree =
  | (Span & { readonly kind: 'nothing' })
  | (Span & { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean })
  | (Span & { readonly kind: 'list'; readonly items: readonly Tree[] })
  | MapTree

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

/** A place in a text, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The content of a text, and its faults up to `brokenAt`, also of what YAML allows and this program does not. */
export interface ReadTree {
  readonly root: Tree
  readonly faults: readonly Fault[]
  /** Where the text stops being valid YAML: the rest may have been meant differently. Infinity: nowhere. */
  readonly brokenAt: number
  readonly placeOf: (offset: number) => Place
}

/** Unquoted texts that YAML treats as no value. */
const NULL = /^(~|null|Null|NULL)?$/
/** The library uses such characters as internal marks. */
const CONTROL = /(?![\t\n]|\r(?:\n|$))\p{Cc}/u

/**
 * Parses a text as YAML in which every value is text, nested up to `maxLevels` deep: the library's recursion must not overflow the
 * stack. Never throws. Anchors, aliases, tags, further documents, control characters and duplicate keys are faults.
 */
export function readTree(text: string, maxLevels: number): ReadTree {
  const { Composer, LineCounter, Parser } = yaml()
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1)
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const emptyTree = (...faults: Fault[]): ReadTree => ({
    root: { kind: 'nothing', start: 0, end: 0 },
    faults,
    brokenAt: faults.length === 0 ? Number.POSITIVE_INFINITY : 0,
    placeOf,
  })
  const control = text.search(CONTROL)
  if (control >= 0) return emptyTree({ at: control, message: 'a control character is not allowed here: remove it' })
  const tokens = [...new Parser().parse(text)]
  const deep = eachToken(tokens).find(({ level }) => level > maxLevels)
  if (deep !== undefined)
    return emptyTree({ at: deep.token.offset, message: `this is nested too deeply: at most ${maxLevels} levels` })
  const [document, second] = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false }).compose(tokens, true)
  if (document === undefined) return emptyTree()
  const broken = yamlFaults(document.errors, tokens)
  const brokenAt = Math.min(...broken.map(({ at }) => at))
  const builder = new TreeBuilder(text, placeOf)
  const directive = tokens.find(({ type }) => type === 'directive')
  if (directive !== undefined) builder.fail(directive.offset, 'a % directive has no meaning here: remove it')
  if (second !== undefined)
    builder.fail(second.range[0], 'a second document (---) has no meaning here: write each in a separate file')
  const root = builder.build(document.contents, 0)
  return { root, faults: [...broken, ...builder.faults.filter(({ at }) => at < brokenAt)], brokenAt, placeOf }
}

/** Makes a tree from the library's nodes, and refuses unsupported features. */
class TreeBuilder {
  readonly faults: Fault[] = []

  constructor(
    private readonly text: string,
    private readonly placeOf: (offset: number) => Place,
  ) {}

  fail(at: number, message: string): void {
    this.faults.push({ at, message })
  }

  /** `at` is the place of the value if it is missing. */
  build(node: Yaml.Node | null, at: number): Tree {
    const { isAlias, isMap, isScalar, isSeq } = yaml()
    const start = node?.range?.[0] ?? at
    const span = { start, end: this.#trimmed(start, node?.range?.[1] ?? at) }
    if (node === null) return { kind: 'nothing', ...span }
    if (isAlias(node) || node.anchor !== undefined) {
      this.fail(start, 'anchors and aliases (& and *) are not used here: write the value out')
      return { kind: 'nothing', ...span }
    }
    if (node.tag !== undefined) this.fail(start, 'tags (!) are not used here: write the value alone')
    if (isMap<Yaml.Node, Yaml.Node | null>(node)) return this.#map(node.items, span, node.flow === true)
    if (isSeq<Yaml.Node>(node)) {
      const items = node.items.map((item) => this.build(item, start))
      return { kind: 'list', start, end: node.flow === true ? span.end : (items.at(-1)?.end ?? span.end), items }
    }
    const text = isScalar(node) ? String(node.value) : ''
    const isQuoted = isScalar(node) && node.type !== 'PLAIN'
    return !isQuoted && NULL.test(text) ? { kind: 'nothing', ...span } : { kind: 'text', ...span, text, isQuoted }
  }

  #map(pairs: readonly Yaml.Pair<Yaml.Node, Yaml.Node | null>[], span: Span, isFlow: boolean): MapTree {
    const entries = new Map<string, Entry>()
    for (const { key: node, value } of pairs) {
      const written = this.build(node, span.start)
      if (written.kind !== 'text') {
        this.fail(written.start, 'this is not a key: write key: value')
        continue
      }
      const { text: key, start, end } = written
      const first = entries.get(key)
      if (first === undefined) entries.set(key, { key, keySpan: { start, end }, value: this.build(value, end) })
      else {
        const { line } = this.placeOf(first.keySpan.start)
        this.fail(start, `${shown(key)} is there twice, first in line ${line}: remove one`)
      }
    }
    const last = [...entries.values()].at(-1)
    const end = isFlow || last === undefined ? span.end : Math.max(last.keySpan.end, last.value.end)
    return { kind: 'map', ...span, end, entries: [...entries.values()] }
  }

  /** The end without the spaces and line ends that the library includes in a value. */
  #trimmed(start: number, end: number): number {
    return start + this.text.slice(start, end).trimEnd().length
  }
}

/** A fault at an offset of the text. */
export interface Fault {
  readonly at: number
  readonly message: string
}

/** The library quotes the text that it found. */
const SHOWN_LENGTH = 100
/** Further faults usually follow from these. */
const MAX_FAULTS = 20

/** The library's messages, for YAML experts, and our messages. */
const WORDING: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^Tabs are not/, 'a tab is used where spaces are needed: indent with spaces'],
  [/^Missing closing/, 'a quote is not closed: write it at both ends of the value'],
  [
    /must (be sufficiently indented and )?end with a/,
    'a bracket or brace is not closed, or its lines are not indented: write [a, b] in one line, or - a in a line each',
  ],
  [
    /^Implicit|^Missing .*between/,
    'something is missing: write key: value with a space behind the colon, and - before each item of a list',
  ],
  [/compact mappings|implicit map key/, 'a value contains a colon and a space: put the value in quotes'],
  [/^Plain value cannot start|block scalar/i, 'the value begins with a character that YAML keeps for itself: put it in quotes'],
  [/same column|indent/i, 'the indentation does not match any line above: indent all keys of a group equally, with spaces'],
]

/** Syntax faults, one for each place: further messages of the library at that place follow from the first. */
function yamlFaults(errors: readonly Yaml.YAMLError[], tokens: readonly Yaml.CST.Token[]): readonly Fault[] {
  const places = new Map<number, Fault>()
  for (const { pos, message } of errors.slice(0, MAX_FAULTS)) {
    const at = (/^Missing closing|end with a/.test(message) ? unclosed(tokens) : undefined) ?? pos[0]
    if (!places.has(at)) places.set(at, { at, message: wordingOf(message) })
  }
  return [...places.values()]
}

function wordingOf(theirs: string): string {
  const [, ours] = WORDING.find(([pattern]) => pattern.test(theirs)) ?? []
  return ours ?? `this is not YAML (${visible(theirs, SHOWN_LENGTH)}): write key: value, and - before each item of a list`
}

/** Where the last unclosed quote, bracket or brace begins: the library reports where its end is missing. */
function unclosed(tokens: readonly Yaml.CST.Token[]): number | undefined {
  const open = eachToken(tokens).filter(({ token }) => {
    if (token.type === 'flow-collection') return !token.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar'
    return isQuoted && (token.source.length < 2 || token.source.at(-1) !== token.source[0])
  })
  return open.length === 0 ? undefined : Math.max(...open.map(({ token }) => token.offset))
}

/** All tokens with their nesting depth, found without recursion. */
export function eachToken(
  tokens: readonly Yaml.CST.Token[],
): readonly { readonly token: Yaml.CST.Token; readonly level: number }[] {
  const nested = tokens.map((token) => ({ token, level: 0 }))
  // Walking an array that grows visits the added items, too.
  for (const { token, level } of nested) {
    if (token.type === 'document' && token.value !== undefined) nested.push({ token: token.value, level })
    if (!('items' in token)) continue
    for (const { key, value } of token.items) {
      for (const inner of [key, value]) if (inner) nested.push({ token: inner, level: level + 1 })
    }
  }
  return nested
}
