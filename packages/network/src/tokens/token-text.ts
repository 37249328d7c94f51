import type { Random } from '@slotwire/core'

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
