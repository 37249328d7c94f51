import { hash, timingSafeEqual } from 'node:crypto'
import { codeOf, coreErrors, fromIsoTime, type Log, nextTurn } from '@slotwire/core'
import { UnusableFileError } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import type { StoredToken, Token } from './token-document.ts'
import { tokenParts } from './token-document.ts'
import { type FileVersion, isSameVersion, type TokenFile } from './token-files.ts'

const UNREADABLE = 'requests with a token get 503'
const KEPT = 'the tokens read last stay in force'

/**
 * The tokens of the file, read again after another process changed it. While the file is invalid, the last good tokens stay in force; while
 * it has changed and cannot be read, or was never read, no token is accepted; without a file the list is empty. The file is checked once per turn of the event
 * loop, so requests that arrived together share a check.
 */
export class LiveTokens {
  readonly #file: TokenFile
  readonly #log: Log
  #index = new TokenIndex([])
  #version: FileVersion | undefined
  /** The problem with the file, as last logged. */
  #problem: string | undefined
  /** Whether the tokens are not known: a token may have been revoked. */
  #isUnreadable = false
  /** Whether a valid file was read since the start. */
  #wasRead = false
  /** Whether the file was checked in this turn. */
  #isFresh = false

  constructor(file: TokenFile, log: Log) {
    this.#file = file
    this.#log = log
  }

  /** Never throws: a problem with the file is logged once. */
  get index(): TokenIndex {
    this.check()
    return this.#index
  }

  /** Reads the file if it has changed, once in each turn. */
  check(): void {
    if (this.#isFresh) return
    this.#isFresh = true
    void nextTurn().then(() => this.invalidate())
    this.#refresh()
  }

  /** A sentence for operators while the file cannot be read. */
  get warnings(): readonly string[] {
    this.check()
    if (this.#problem === undefined) return []
    return [`tokens: tokens.json cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`]
  }

  /** The tokens to check a request with. Throws `tokens-unreadable` while they are not known. */
  get trusted(): TokenIndex {
    const index = this.index
    if (this.#isUnreadable) throw coreErrors.tokensUnreadable()
    return index
  }

  /** Makes the next access check the file again: this process has changed it. */
  invalidate(): void {
    this.#isFresh = false
  }

  #refresh(): void {
    let found: FileVersion | undefined
    try {
      found = this.#file.version()
      if (isSameVersion(found, this.#version)) {
        this.#isUnreadable = found !== undefined && !this.#wasRead
        return
      }
      // A write between these two calls is read now and again at the next check.
      this.#index = new TokenIndex(this.#file.read())
      this.#version = found
      this.#isUnreadable = false
      this.#wasRead = true
      if (this.#problem !== undefined) this.#log.info({ file: this.#file.path }, 'the tokens can be read again')
      this.#problem = undefined
    } catch (error) {
      // Do not read an invalid file again before it changes. Retry an unreadable one.
      const isInvalid = error instanceof OperatorError
      if (isInvalid) this.#version = found
      this.#isUnreadable = !isInvalid || !this.#wasRead
      this.#logProblem(error)
    }
  }

  #logProblem(error: unknown): void {
    const problem =
      error instanceof OperatorError || error instanceof UnusableFileError
        ? error.message
        : `${this.#file.path} cannot be read (${codeOf(error) ?? String(error)})`
    if (problem === this.#problem) return
    this.#problem = problem
    this.#log.error({ reason: problem }, `the tokens cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`)
  }
}

/** Primitives of a lookup; every lookup uses each of them once. */
export interface Digests {
  readonly digest: (secret: string) => Buffer
  /** Takes the same time for all contents. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean
}

interface Entry {
  readonly token: Token
  /** Milliseconds since 1970. */
  readonly expiresMs: number
  readonly digest: Uint8Array
}

/** Hexadecimal, as stored: a digest as text costs half as much as one in a buffer of its own. */
export const sha256: Digests = { digest: (secret) => Buffer.from(hash('sha256', secret, 'hex')), equal: timingSafeEqual }

const SHA256_DIGITS = 64
/** Compared for unknown ids, so that they take the same time. */
const NO_DIGEST = new Uint8Array(SHA256_DIGITS)

/** Tokens by id. */
export class TokenIndex {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #digests: Digests

  constructor(stored: readonly StoredToken[], digests: Digests = sha256) {
    this.#digests = digests
    this.#entries = new Map(
      stored.map(({ sha256: hex, ...token }) => [
        token.id,
        {
          token,
          digest: Buffer.from(hex),
          expiresMs: token.expires === undefined ? Number.POSITIVE_INFINITY : fromIsoTime(token.expires),
        },
      ]),
    )
  }

  get tokens(): readonly Entry[] {
    return [...this.#entries.values()]
  }

  /** Finds the token for a text. Takes the same time for valid and invalid texts. */
  find(text: string): Entry | undefined {
    const { id, secret } = tokenParts(text)
    const entry = this.#entries.get(id)
    const same = this.#digests.equal(this.#digests.digest(secret), entry?.digest ?? NO_DIGEST)
    return same ? entry : undefined
  }
}
