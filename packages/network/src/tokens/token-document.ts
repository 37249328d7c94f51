import { fromIsoTime, isRecord, orElse, type Random } from '@slotwire/core'
import type { Token as DoorToken } from '@slotwire/edge'
import { OperatorError } from '../operator-error.ts'

/** An access token without its secret. */
export interface Token extends DoorToken {
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601; undefined: never. */
  readonly expires: string | undefined
}

/** Longest name of a token, in characters. */
const MAX_NAME_CHARACTERS = 64
const LENGTH = new RegExp(`^.{1,${MAX_NAME_CHARACTERS}}$`, 'su')
/** Letters, marks, digits, punctuation, symbols and plain spaces: no characters that control a terminal or a log. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

/** Other authors in the audit log: a token must not have their names. */
const TAKEN = new Set(['local', 'service', 'nobody'])

/** The problem with a name for a new token; undefined: none. */
export function newNameProblem(name: string): string | undefined {
  if (!TAKEN.has(name.toLowerCase())) return nameProblem(name)
  return `the names ${[...TAKEN].join(', ')} are reserved for the audit log: choose another name`
}

/** The problem with a token's name; undefined: none. */
function nameProblem(name: string): string | undefined {
  if (!LENGTH.test(name)) return `the name must have 1…${MAX_NAME_CHARACTERS} characters`
  if (!PRINTABLE.test(name)) return 'the name must have only printable characters'
  if (name.trim() !== name) return 'the name must not begin or end with a space'
  return undefined
}

/** A token as stored. */
export interface StoredToken extends Token {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  readonly sha256: string
}

/** Limit, because all tokens are kept in memory and shown in one list. */
export const MAX_TOKENS = 1000

const SHA256 = /^[0-9a-f]{64}$/
const KEYS = ['id', 'name', 'sha256', 'readOnly', 'services', 'created', 'expires']

/** Formats a readable document with these tokens. */
export function formatTokens(tokens: readonly StoredToken[]): string {
  return `${JSON.stringify({ tokens }, undefined, 2)}\n`
}

/** Parses a document. Throws `OperatorError` with the token's position in the list; never quotes the document. */
export function parseTokens(text: string): readonly StoredToken[] {
  const list = listIn(text)
  if (list.length > MAX_TOKENS) throw new OperatorError(`there must be at most ${MAX_TOKENS} tokens`)
  const tokens = list.map((value, index) => {
    const token = tokenIn(value)
    if (typeof token === 'string') throw new OperatorError(`token ${index + 1}: ${token}`)
    return token
  })
  for (const key of ['id', 'name'] as const) {
    if (new Set(tokens.map((token) => token[key])).size < tokens.length)
      throw new OperatorError(`two tokens have the same ${key}`)
  }
  return tokens
}

function listIn(text: string): readonly unknown[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new OperatorError('this is not JSON')
  }
  if (isRecord(document) && Array.isArray(document['tokens'])) return document['tokens']
  throw new OperatorError('there must be an object with a list of tokens')
}

/** A token, or the problem with it. */
function tokenIn(value: unknown): StoredToken | string {
  if (!isRecord(value)) return 'it must be an object'
  // Refuse misspelled keys: the token would have more rights than intended.
  if (!Object.keys(value).every((key) => KEYS.includes(key))) return `each key must be one of ${KEYS.join(', ')}`
  const { id, name, sha256, readOnly, services, created, expires } = value
  if (typeof id !== 'string' || !isTokenId(id)) return 'id must be 8 lower-case letters and digits'
  if (typeof name !== 'string') return 'name must be a text'
  const problem = nameProblem(name)
  if (problem !== undefined) return problem
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) return 'sha256 must be 64 hexadecimal digits'
  if (typeof readOnly !== 'boolean') return 'readOnly must be true or false'
  if (services !== undefined && !isListOfNames(services)) return 'services must be a list of names'
  if (!isDate(created)) return 'created must be a date in ISO 8601'
  if (expires !== undefined && !isDate(expires)) return 'expires must be a date in ISO 8601'
  return { id, name, sha256, readOnly, services, created, expires }
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '')
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(fromIsoTime(value))
}

/** The date of each token's last use, by its id, in a `token-use.json`. Throws `OperatorError`. */
export function parseUses(text: string): readonly (readonly [id: string, date: string])[] {
  const uses = orElse<unknown>(undefined, () => JSON.parse(text))
  if (!isRecord(uses) || !Object.values(uses).every(isDate))
    throw new OperatorError('it must hold one JSON object with a date for each token')
  return Object.entries(uses as Record<string, string>)
}

/** Marks access tokens for people and for programs that search for leaked secrets. */
const PREFIX = 'swt'
// Letters and digits only: they have no special meaning in shells, URLs and HTTP Basic, and a double click selects the whole token.
const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 8
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
/** 62⁴³ is more than 2²⁵⁶. */
const SECRET_LENGTH = 43

const ID = new RegExp(`^[0-9a-z]{${ID_LENGTH}}$`)
const TEXT = new RegExp(`^${PREFIX}_([0-9a-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})$`)
/** Also matches part of a token, and a token with more text behind it. */
const WITHIN = new RegExp(`${PREFIX}_([0-9a-z]{${ID_LENGTH}})_\\w+`, 'g')

/** Parts of a token's text. */
export interface TokenParts {
  /** Public. */
  readonly id: string
  readonly secret: string
}

/** Generates new parts; the secret has 256 random bits. `isTaken` returns whether an id exists already. */
export function randomParts(random: Random, isTaken: (id: string) => boolean): TokenParts {
  let id: string
  do id = randomText(random, ID_ALPHABET, ID_LENGTH)
  while (isTaken(id))
  return { id, secret: randomText(random, SECRET_ALPHABET, SECRET_LENGTH) }
}

/** The text of a token: `swt_<id>_<secret>`. */
export function tokenText({ id, secret }: TokenParts): string {
  return `${PREFIX}_${id}_${secret}`
}

/** Splits any text into two parts, so that every lookup takes the same time. An invalid text gets an id that no token has. */
export function tokenParts(text: string): TokenParts {
  const [, id, secret] = TEXT.exec(text) ?? []
  return id === undefined || secret === undefined ? { id: '', secret: text.slice(0, SECRET_LENGTH) } : { id, secret }
}

/** Whether the text has the form of a token id. */
export function isTokenId(text: string): boolean {
  return ID.test(text)
}

/** Replaces secrets of tokens in a text that is going to be stored or logged. */
export function withoutSecrets(text: string): string {
  return text.replace(WITHIN, (_, id: string) => `${PREFIX}_${id}_…`)
}

function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
}
