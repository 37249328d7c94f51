import { visible } from '@slotwire/core'
import type { CST, YAMLError } from 'yaml'

/** What is wrong at an offset of the text. */
export interface Fault {
  readonly at: number
  readonly key: string | undefined
  readonly message: string
}

/** The library repeats what it found. */
const SHOWN_LENGTH = 100
/** Further mistakes are most often consequences of these. */
const MOST_FAULTS = 20

/** The library's words, which presume that one knows YAML, and ours. */
const WORDING: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^Tabs are not/, 'a tab stands where spaces are needed: indent with spaces'],
  [/^Missing closing/, 'a quote is not closed: write it at both ends of the value'],
  [
    /must (be sufficiently indented and )?end with a/,
    'a bracket or brace is not closed: write [a, b] in one line, or - a in a line each',
  ],
  [
    /^Implicit|^Missing .*between/,
    'something is missing: write key: value, with a space behind the colon, and list items as - a',
  ],
  [/compact mappings|implicit map key/, 'a colon and a space stand within a value: put the value in quotes'],
  [/^Plain value cannot start/, 'the value begins with a character that YAML keeps for itself: put the value in quotes'],
  [/same column|indent/i, 'the indentation fits nothing above: indent everything in a group equally, with spaces'],
]

/** What keeps a text from being YAML, once for each place: what else the library has to say of it is a consequence. */
export function yamlFaults(errors: readonly YAMLError[], tokens: readonly CST.Token[]): readonly Fault[] {
  const places = new Map<number, Fault>()
  for (const error of errors.slice(0, MOST_FAULTS)) {
    const at = beginning(error, tokens)
    if (!places.has(at)) places.set(at, { at, key: undefined, message: wordingOf(error) })
  }
  return [...places.values()]
}

function wordingOf({ message }: YAMLError): string {
  const [, ours] = WORDING.find(([theirs]) => theirs.test(message)) ?? []
  return ours ?? `this is not YAML (${visible(message, SHOWN_LENGTH)}): write key: value, and lists as [a, b]`
}

/** A quote that is not closed is told where it begins; where the text ends nobody looks. */
function beginning({ pos: [at], message }: YAMLError, tokens: readonly CST.Token[]): number {
  if (!message.startsWith('Missing closing')) return at
  for (const { token } of eachToken(tokens))
    if ('source' in token && token.offset + token.source.length === at) return token.offset
  return at
}

/** All tokens, and how deep each is nested; without recursion. */
export function* eachToken(tokens: readonly CST.Token[]): Generator<{ readonly token: CST.Token; readonly level: number }> {
  const todo = tokens.map((token) => ({ token, level: 1 }))
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    yield next
    const { token, level } = next
    if (token.type === 'document' && token.value !== undefined) todo.push({ token: token.value, level })
    if (!('items' in token)) continue
    for (const { key, value } of token.items) {
      if (key) todo.push({ token: key, level: level + 1 })
      if (value) todo.push({ token: value, level: level + 1 })
    }
  }
}
