import type { Random } from '@slotwire/core'

/** What tells an access token from any other text, to people and to programs that look for leaked secrets. */
const PREFIX = 'swt'
// Letters and digits alone: no shell, URL or HTTP Basic gives any of them a meaning, and a double click selects the whole.
const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 8
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
/** 62⁴³ is more than 2²⁵⁶. */
const SECRET_LENGTH = 43

const ID = new RegExp(`^[0-9a-z]{${ID_LENGTH}}$`)
const TEXT = new RegExp(`^${PREFIX}_([0-9a-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})$`)
/** Also half a token, and one with another behind it. */
const WITHIN = new RegExp(`${PREFIX}_([0-9a-z]{${ID_LENGTH}})_\\w+`, 'g')

/** The two parts of a token's text. */
export interface TokenParts {
  /** Public. */
  readonly id: string
  readonly secret: string
}

/** New parts: the secret has 256 random bits. `isTaken` says which ids cannot be given away again. */
export function randomParts(random: Random, isTaken: (id: string) => boolean): TokenParts {
  let id: string
  do id = randomText(random, ID_ALPHABET, ID_LENGTH)
  while (isTaken(id))
  return { id, secret: randomText(random, SECRET_ALPHABET, SECRET_LENGTH) }
}

/** `swt_<id>_<secret>`, as people copy it. */
export function tokenText({ id, secret }: TokenParts): string {
  return `${PREFIX}_${id}_${secret}`
}

/** Whatever text it is, it comes in two parts, so that looking at it costs the same: what is no token has an id that no token has. */
export function tokenParts(text: string): TokenParts {
  const [, id, secret] = TEXT.exec(text) ?? []
  return id === undefined || secret === undefined ? { id: '', secret: text.slice(0, SECRET_LENGTH) } : { id, secret }
}

/** Whether a token could have this id. */
export function isTokenId(text: string): boolean {
  return ID.test(text)
}

/** The text without the secrets of tokens that are in it: for whatever is written down. */
export function withoutSecrets(text: string): string {
  return text.replace(WITHIN, (_, id: string) => `${PREFIX}_${id}_…`)
}

function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
}
