import { visible } from '@slotwire/core'
import type { CST, YAMLError } from 'yaml'

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
export function yamlFaults(errors: readonly YAMLError[], tokens: readonly CST.Token[]): readonly Fault[] {
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
function unclosed(tokens: readonly CST.Token[]): number | undefined {
  const open = eachToken(tokens).filter(({ token }) => {
    if (token.type === 'flow-collection') return !token.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar'
    return isQuoted && (token.source.length < 2 || token.source.at(-1) !== token.source[0])
  })
  return open.length === 0 ? undefined : Math.max(...open.map(({ token }) => token.offset))
}

/** All tokens with their nesting depth, found without recursion. */
export function eachToken(tokens: readonly CST.Token[]): readonly { readonly token: CST.Token; readonly level: number }[] {
  const found = tokens.map((token) => ({ token, level: 0 }))
  // Walking an array that grows visits the added items, too.
  for (const { token, level } of found) {
    if (token.type === 'document' && token.value !== undefined) found.push({ token: token.value, level })
    if (!('items' in token)) continue
    for (const { key, value } of token.items) {
      for (const inner of [key, value]) if (inner) found.push({ token: inner, level: level + 1 })
    }
  }
  return found
}
