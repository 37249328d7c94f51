import { type Entry, type ListTree, type MapTree, type Tree, yaml } from '@slotwire/storage'
import { settingsTree } from './settings-tree.ts'

/** The new value: a word, a list of words, or undefined to remove it. */
export type NewValue = string | readonly string[] | undefined

/** Indentation of a group's entries. */
const INDENT = '  '
/** Words that need no quotes in any position. */
const PLAIN = /^(?!(?:null|Null|NULL)$)[A-Za-z\d/](?:[\w./:~+-]*[\w./~+-])?(?: [A-Za-z\d/](?:[\w./:~+-]*[\w./~+-])?)*$/

const written = (word: string) => (PLAIN.test(word) ? word : JSON.stringify(word))
const inLine = (value: string | readonly string[]) =>
  typeof value === 'string' ? written(value) : `[${value.map(written).join(', ')}]`

/**
 * Sets or removes the value at a path of one or two keys. Order, spaces and comments of the rest stay; comments of removed parts get their
 * own lines. `settingsTree` must find no faults in `text`.
 */
export function withValue(text: string, path: readonly [string, string?], value: NewValue): string {
  return new TextEditor(text).set(path, value)
}

class TextEditor {
  readonly #text: string
  readonly #root: MapTree
  readonly #newline: string

  constructor(text: string) {
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n'
    this.#text = text === '' || text.endsWith('\n') ? text : text + this.#newline
    this.#root = settingsTree(this.#text).root
  }

  set([key, inner]: readonly [string, string?], value: NewValue): string {
    if (this.#root.isFlow) return withValue(this.#toBlock(this.#root, ''), inner === undefined ? [key] : [key, inner], value)
    const entry = entryOf(this.#root, key)
    if (inner === undefined) return this.#setEntry(this.#root, entry, key, value)
    if (entry === undefined)
      return value === undefined ? this.#text : this.#insert(this.#root, [`${key}:`, `${INDENT}${inner}: ${inLine(value)}`])
    const group = entry.value
    if (group.kind !== 'map') return value === undefined ? this.#text : this.#insertFirst(entry, `${inner}: ${inLine(value)}`)
    if (group.isFlow) return withValue(this.#toBlock(group, this.#indentAt(entry.keySpan.start) + INDENT), [key, inner], value)
    const part = entryOf(group, inner)
    // Remove a group with its last setting if it has no comments.
    const last =
      group.entries.length === 1 && commentsIn(this.#text.slice(entry.keySpan.start, this.#lineEnd(group.end))).length === 0
    if (value === undefined && part !== undefined && last) return this.#remove(entry)
    return this.#setEntry(group, part, inner, value)
  }

  #setEntry(map: MapTree, entry: Entry | undefined, key: string, value: NewValue): string {
    if (value === undefined) return entry === undefined ? this.#text : this.#remove(entry)
    if (entry === undefined) return this.#insert(map, [`${key}: ${inLine(value)}`])
    const old = entry.value
    if (typeof value !== 'string' && value.length > 0 && old.kind === 'list' && !old.isFlow)
      return this.#merge(entry.keySpan.end, old, value)
    return this.#replace(entry, inLine(value))
  }

  /** Inserts lines after the last entry of a map. */
  #insert({ entries }: MapTree, lines: readonly string[]): string {
    const [first, last] = [entries[0], entries.at(-1)]
    const indent = first === undefined ? '' : this.#indentAt(first.keySpan.start)
    const at = last === undefined ? this.#text.length : this.#lineEnd(endOf(last))
    return this.#splice(at, at, this.#lines(lines, indent))
  }

  /** Inserts the first line into an empty group, or replaces a value that is not a group. */
  #insertFirst({ keySpan, value }: Entry, line: string): string {
    const indent = this.#indentAt(keySpan.start) + INDENT
    if (isEmpty(value)) {
      const at = this.#lineEnd(keySpan.end)
      return this.#splice(at, at, this.#lines([line], indent))
    }
    const comments = commentsIn(this.#text.slice(value.start, value.end))
    return this.#withComments(
      keySpan.start,
      comments,
      this.#splice(this.#spacesBefore(value.start), value.end, this.#newline + indent + line),
    )
  }

  #replace({ keySpan, value }: Entry, word: string): string {
    const { start, end } = value
    if (!isEmpty(value))
      return this.#withComments(keySpan.start, commentsIn(this.#text.slice(start, end)), this.#splice(start, end, word))
    const behindColon = this.#text.indexOf(':', keySpan.end) + 1
    return this.#splice(behindColon, behindColon, ` ${word}`)
  }

  /** Removes whole lines and keeps their comments. */
  #remove(entry: Entry): string {
    const [start, end] = [this.#lineStart(entry.keySpan.start), this.#lineEnd(endOf(entry))]
    const comments = commentsIn(this.#text.slice(start, end))
    return this.#splice(start, end, this.#lines(comments, this.#indentAt(entry.keySpan.start)))
  }

  /** Reorders, adds and removes the lines of a block list; comments move with the entry below or beside them. */
  #merge(keyEnd: number, { items }: ListTree, words: readonly string[]): string {
    const start = this.#lineEnd(keyEnd)
    const indent = this.#indentAt(items[0]?.start ?? start)
    const old: { word: string | undefined; lines: string }[] = []
    let end = start
    for (const item of items) {
      const next = this.#lineEnd(item.end)
      old.push({ word: item.kind === 'text' ? item.text : undefined, lines: this.#text.slice(end, next) })
      end = next
    }
    const lines = words.map((word) => {
      const index = old.findIndex((line) => line.word === word)
      return index < 0
        ? this.#lines([`- ${written(word)}`], indent)
        : old
            .splice(index, 1)
            .map((line) => line.lines)
            .join('')
    })
    const left = old.flatMap((line) => commentsIn(line.lines))
    return this.#splice(start, end, lines.join('') + this.#lines(left, indent))
  }

  /** Rewrites a map in braces as a block. */
  #toBlock(map: MapTree, indent: string): string {
    const comments = commentsIn(this.#text.slice(map.start, map.end))
    const lines = blockLines(map)
    const start = this.#spacesBefore(map.start)
    const first = start === 0 || this.#text.charAt(start - 1) === '\n' ? '' : this.#newline
    const block = first + this.#lines(lines, indent).slice(0, -this.#newline.length)
    return this.#withComments(map.start, comments, this.#splice(start, map.end, lines.length === 0 ? '' : block))
  }

  /** Inserts comments above the line of `at`; `text` must be unchanged before that line. */
  #withComments(at: number, comments: readonly string[], text: string): string {
    const start = this.#lineStart(at)
    return text.slice(0, start) + this.#lines(comments, this.#indentAt(at)) + text.slice(start)
  }

  #splice(start: number, end: number, text: string): string {
    return this.#text.slice(0, start) + text + this.#text.slice(end)
  }

  #lines(lines: readonly string[], indent: string): string {
    return lines.map((line) => indent + line + this.#newline).join('')
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf('\n', at - 1) + 1
  }

  /** Position after the line break. */
  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at)
    return end < 0 ? this.#text.length : end + 1
  }

  #indentAt(at: number): string {
    return /^ */.exec(this.#text.slice(this.#lineStart(at)))?.[0] ?? ''
  }

  #spacesBefore(at: number): number {
    return this.#text.slice(0, at).trimEnd().length
  }
}

const entryOf = ({ entries }: MapTree, key: string) => entries.find((entry) => entry.key === key)
/** An empty value ends at its key. */
const endOf = ({ keySpan, value }: Entry) => (isEmpty(value) ? keySpan.end : value.end)
const isEmpty = ({ start, end }: Tree) => start === end

/** Comments in a piece of YAML, unchanged. */
function commentsIn(piece: string): readonly string[] {
  return [...new (yaml().Lexer)().lex(piece)].filter((lexeme) => lexeme.startsWith('#')).map((comment) => comment.trimEnd())
}

/** The lines of a map in block style. */
function blockLines({ entries }: MapTree): readonly string[] {
  return entries.flatMap(({ key, value }) => {
    switch (value.kind) {
      case 'nothing':
        return [`${written(key)}:`]
      case 'text':
        return [`${written(key)}: ${written(value.text)}`]
      case 'list':
        return [`${written(key)}: ${inLine(value.items.map((item) => (item.kind === 'text' ? item.text : '')))}`]
      case 'map':
        return [`${written(key)}:`, ...blockLines(value).map((line) => INDENT + line)]
    }
  })
}
