import type { CST, Node, Pair, YAMLError } from 'yaml'
import type { Fault } from './reading.ts'
import type { Entry, MapTree, Span, Tree } from './tree.ts'
import { shown } from './tree.ts'
import { yaml } from './yaml-library.ts'

/** Bodies are nested, but never so deep that the library's recursion comes near the end of the stack. */
const MOST_LEVELS = 24
/** What YAML takes for no value when it is not in quotes. */
const NULL = /^(~|null|Null|NULL)?$/

/** What a text holds; of one that is not a map at its top, the root is empty, and there is a fault. */
export interface ReadTree {
  readonly root: MapTree
  readonly faults: readonly Fault[]
  readonly placeOf: (offset: number) => { readonly line: number; readonly column: number }
}

/** Reads a text as YAML in which every value is text. Never throws; anchors, aliases, tags and keys that stand twice are faults. */
export function readTree(text: string): ReadTree {
  const { Composer, LineCounter, Parser } = yaml()
  const lines = new LineCounter()
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const empty: MapTree = { kind: 'map', start: 0, end: 0, entries: [] }
  const deep = eachToken(tokens).find(({ level }) => level > MOST_LEVELS)?.token.offset
  if (deep !== undefined)
    return { root: empty, faults: [{ at: deep, message: `is nested too deeply: at most ${MOST_LEVELS} levels` }], placeOf }
  const [document, second] = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false }).compose(tokens, true)
  const faults = (document?.errors ?? []).slice(0, 1).map((error) => notYaml(error, tokens))
  if (faults.length > 0) return { root: empty, faults, placeOf }
  const builder = new TreeBuilder(faults)
  const directive = tokens.find(({ type }) => type === 'directive')
  if (directive !== undefined) builder.fail(directive.offset, 'a % directive has no meaning here: remove it')
  if (second !== undefined)
    builder.fail(second.range[0], 'a second document (---) has no meaning here: write a file for each scenario')
  const root = builder.build(document?.contents ?? null, 0)
  if (root.kind === 'map') return { root, faults, placeOf }
  if (root.kind !== 'nothing') builder.fail(root.start, 'this is no scenario: write steps:, and below it a list of steps')
  return { root: empty, faults, placeOf }
}

/** Makes a tree of the library's nodes, and refuses what a scenario has no use for. */
class TreeBuilder {
  readonly #faults: Fault[]

  constructor(faults: Fault[]) {
    this.#faults = faults
  }

  fail(at: number, message: string): void {
    this.#faults.push({ at, message })
  }

  /** `at` is where the value would stand if it is missing. */
  build(node: Node | null, at: number): Tree {
    const { isAlias, isMap, isScalar, isSeq } = yaml()
    const start = node?.range?.[0] ?? at
    const span = { start, end: node?.range?.[1] ?? at }
    if (node === null) return { kind: 'nothing', ...span }
    if (isAlias(node) || node.anchor !== undefined) {
      this.fail(start, 'anchors and aliases (& and *) are not used here: write the value out')
      return { kind: 'nothing', ...span }
    }
    if (node.tag !== undefined) this.fail(start, 'tags (!) are not used here: write the value alone')
    if (isMap<Node, Node | null>(node)) return this.#map(node.items, span)
    if (isSeq<Node>(node)) return { kind: 'list', ...span, items: node.items.map((item) => this.build(item, start)) }
    const text = isScalar(node) ? String(node.value) : ''
    const isQuoted = isScalar(node) && node.type !== 'PLAIN'
    return !isQuoted && NULL.test(text) ? { kind: 'nothing', ...span } : { kind: 'text', ...span, text, isQuoted }
  }

  #map(pairs: readonly Pair<Node, Node | null>[], span: Span): MapTree {
    const entries = new Map<string, Entry>()
    for (const { key: node, value } of pairs) {
      const written = this.build(node, span.start)
      if (written.kind !== 'text') {
        this.fail(written.start, 'this is no key: write key: value')
        continue
      }
      const { text: key, start, end } = written
      if (entries.has(key)) this.fail(start, `${shown(key)} is there twice: remove one`)
      else entries.set(key, { key, keySpan: { start, end }, value: this.build(value, end) })
    }
    return { kind: 'map', ...span, entries: [...entries.values()] }
  }
}

/** All tokens, and how deep each is nested; found without recursion. */
function eachToken(tokens: readonly CST.Token[]): readonly { readonly token: CST.Token; readonly level: number }[] {
  const found = tokens.map((token) => ({ token, level: 0 }))
  // An array that grows while it is walked visits what was added, too.
  for (const { token, level } of found) {
    if (token.type === 'document' && token.value !== undefined) found.push({ token: token.value, level })
    if (!('items' in token)) continue
    for (const { key, value } of token.items) {
      for (const inner of [key, value]) if (inner) found.push({ token: inner, level: level + 1 })
    }
  }
  return found
}

/** What the library says most often, and what to do about it. */
const REMEDIES: readonly (readonly [theirs: RegExp, remedy: string])[] = [
  [/^Tabs are not/, 'a tab stands where spaces are needed: indent with spaces'],
  [/^Missing closing/, 'a quote is not closed: write it at both ends of the value'],
  [/must (be sufficiently indented and )?end with a/, 'a bracket or brace is not closed, or its lines are not indented'],
  [
    /^Implicit|^Missing .*between/,
    'something is missing: write key: value with a space behind the colon, and - before each step',
  ],
  [/compact mappings|implicit map key/, 'a colon and a space stand within a value: put the value in quotes'],
  [/^Plain value cannot start|block scalar/i, 'the value begins with a character that YAML keeps for itself: put it in quotes'],
  [/same column|indent/i, 'the indentation fits nothing above: indent all keys of a step equally, with spaces'],
]

function notYaml({ pos: [at], message }: YAMLError, tokens: readonly CST.Token[]): Fault {
  const [, remedy] = REMEDIES.find(([theirs]) => theirs.test(message)) ?? []
  const beginning = /^Missing closing|end with a/.test(message) ? unclosed(tokens) : undefined
  const said = `this is not YAML (${shown(message, 100)}): write key: value, and - before each step`
  return { at: beginning ?? at, message: remedy ?? said }
}

/** Where the last quote, bracket or brace begins that is not closed: the library tells where it misses the end. */
function unclosed(tokens: readonly CST.Token[]): number | undefined {
  const open = eachToken(tokens).filter(({ token }) => {
    if (token.type === 'flow-collection') return !token.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar'
    return isQuoted && (token.source.length < 2 || token.source.at(-1) !== token.source[0])
  })
  return open.length === 0 ? undefined : Math.max(...open.map(({ token }) => token.offset))
}
