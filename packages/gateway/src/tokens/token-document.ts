import { fromIsoTime, isRecord } from '@slotwire/core'
import { yaml } from '@slotwire/storage'
import type { Token } from './token.ts'
import { TokenError } from './token-error.ts'
import { nameProblem } from './token-name.ts'
import { isTokenId } from './token-text.ts'

/** A token as it is kept. */
export interface StoredToken extends Token {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  readonly sha256: string
}

/** More are refused: each is looked for in memory, and shown in one list. */
export const MOST_TOKENS = 1000

const SHA256 = /^[0-9a-f]{64}$/
const KEYS = ['id', 'name', 'sha256', 'readOnly', 'services', 'created', 'expires']

/** Where in a document something is: keys and positions from its top. */
type Path = readonly (string | number)[]

class ShapeError extends Error {
  readonly path: Path

  constructor(path: Path, reason: string) {
    super(reason)
    this.path = path
  }
}

/** The document that holds these tokens, as people can read it. */
export function formatTokens(tokens: readonly StoredToken[]): string {
  const documents = tokens.map(({ id, name, sha256, readOnly, services, created, expires }) => ({
    id,
    name,
    sha256,
    readOnly,
    services,
    created,
    expires,
  }))
  return `${JSON.stringify({ tokens: documents }, undefined, 2)}\n`
}

/**
 * The tokens of a document. It may be written by hand: comments and commas too many do no harm. Throws `TokenError` naming the line, and
 * never what stands there.
 */
export function parseTokens(text: string): readonly StoredToken[] {
  try {
    return tokensIn(valueOf(text))
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    throw new TokenError(`line ${lineOf(text, error.path)}: ${error.message}`, { cause: error })
  }
}

/** JSON, or else what YAML makes of it: it knows the line of an error, which `JSON.parse` does not tell. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { LineCounter, parseDocument } = yaml()
    const lines = new LineCounter()
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
    const error = document.errors[0]
    if (error === undefined) return document.toJS()
    throw new TokenError(`line ${lines.linePos(error.pos[0]).line}: this is not JSON`, { cause: error })
  }
}

function lineOf(text: string, path: Path): number {
  const { LineCounter, parseDocument } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    const start = isRanged(node) ? node.range[0] : undefined
    if (start !== undefined) return lines.linePos(start).line
  }
  return 1
}

function isRanged(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
}

function tokensIn(value: unknown): readonly StoredToken[] {
  if (!isRecord(value) || !Array.isArray(value['tokens']))
    throw new ShapeError([], 'there must be an object with a list of tokens')
  const list: readonly unknown[] = value['tokens']
  if (list.length > MOST_TOKENS) throw new ShapeError(['tokens', MOST_TOKENS], `there must be at most ${MOST_TOKENS} tokens`)
  const tokens = list.map((item, index) => tokenIn(item, ['tokens', index]))
  for (const key of ['id', 'name'] as const) {
    const seen = new Set<string>()
    for (const [index, token] of tokens.entries()) {
      if (seen.has(token[key])) throw new ShapeError(['tokens', index, key], `another token has this ${key} already`)
      seen.add(token[key])
    }
  }
  return tokens
}

function tokenIn(value: unknown, path: Path): StoredToken {
  if (!isRecord(value)) throw new ShapeError(path, 'a token must be an object')
  const fail = (key: string, reason: string): never => {
    throw new ShapeError([...path, key], reason)
  }
  // A key that is spelled wrong would otherwise give more rights than were meant.
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) fail(unknown, `the key is none of ${KEYS.join(', ')}`)
  const { id, name, sha256, readOnly, services, created, expires } = value
  if (typeof id !== 'string' || !isTokenId(id)) return fail('id', 'id must be 8 lower-case letters and digits')
  if (typeof name !== 'string') return fail('name', 'name must be a text')
  const problem = nameProblem(name)
  if (problem !== undefined) return fail('name', problem)
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) return fail('sha256', 'sha256 must be 64 hexadecimal digits')
  if (typeof readOnly !== 'boolean') return fail('readOnly', 'readOnly must be true or false')
  if (services !== undefined && !isListOfNames(services)) return fail('services', 'services must be a list of names')
  if (!isDate(created)) return fail('created', 'created must be a date in ISO 8601')
  if (expires !== undefined && !isDate(expires)) return fail('expires', 'expires must be a date in ISO 8601')
  return { id, name, sha256, readOnly, services, created, expires }
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '')
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(fromIsoTime(value))
}
