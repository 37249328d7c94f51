import { shown } from '@slotwire/core'
import type { LineCounter, Node, Pair } from 'yaml'
import type { Entry, MapTree, Span, Tree } from './tree.ts'
import { eachToken, type Fault, yamlFaults } from './yaml-fault.ts'
import { yaml } from './yaml-library.ts'

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
  const placeOf = (offset: number) => placeIn(lines, offset)
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

function placeIn(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
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
  build(node: Node | null, at: number): Tree {
    const { isAlias, isMap, isScalar, isSeq } = yaml()
    const start = node?.range?.[0] ?? at
    const span = { start, end: this.#trimmed(start, node?.range?.[1] ?? at) }
    if (node === null) return { kind: 'nothing', ...span }
    if (isAlias(node) || node.anchor !== undefined) {
      this.fail(start, 'anchors and aliases (& and *) are not used here: write the value out')
      return { kind: 'nothing', ...span }
    }
    if (node.tag !== undefined) this.fail(start, 'tags (!) are not used here: write the value alone')
    if (isMap<Node, Node | null>(node)) return this.#map(node.items, span, node.flow === true)
    if (isSeq<Node>(node)) {
      const items = node.items.map((item) => this.build(item, start))
      return { kind: 'list', start, end: node.flow === true ? span.end : (items.at(-1)?.end ?? span.end), items }
    }
    const text = isScalar(node) ? String(node.value) : ''
    const isQuoted = isScalar(node) && node.type !== 'PLAIN'
    return !isQuoted && NULL.test(text) ? { kind: 'nothing', ...span } : { kind: 'text', ...span, text, isQuoted }
  }

  #map(pairs: readonly Pair<Node, Node | null>[], span: Span, isFlow: boolean): MapTree {
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
