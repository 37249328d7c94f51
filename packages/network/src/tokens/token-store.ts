import { hash, timingSafeEqual } from 'node:crypto'
import { codeOf, coreErrors, fromIsoTime, isoTime, type Log, nearest, nextTurn, type Random, type WallTime } from '@slotwire/core'
import type { MetricSource } from '@slotwire/service'
import { UnusableFileError } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import { MAX_TOKENS, newNameProblem, randomParts, type StoredToken, type Token, tokenParts, tokenText } from './token-document.ts'
import { TokenFile, TokenUses, type TokenUsesOptions } from './token-files.ts'

export interface TokenStoreOptions extends Omit<TokenUsesOptions, 'exists'> {
  readonly wallTime: WallTime
  /** Must be unpredictable: secrets are generated from it. */
  readonly random: Random
}

/** Options of a new token. */
export type NewTokenOptions = Pick<Token, 'name' | 'readOnly' | 'services' | 'expires'>

/** A token in a list. */
export interface ListedToken extends Token {
  /** ISO 8601; undefined: never. */
  readonly lastUsed: string | undefined
}

/** The access tokens of a device. Commands create, list and revoke them; the service checks them and sees every change at once. */
export class TokenStore {
  readonly #file: TokenFile
  readonly #live: LiveTokens
  readonly #uses: TokenUses
  /** Expired tokens whose use has been logged. */
  readonly #expiredUsed = new Set<string>()

  constructor(private readonly options: TokenStoreOptions) {
    this.#file = new TokenFile(options.folder)
    this.#live = new LiveTokens(this.#file, options.log)
    this.#uses = new TokenUses({ ...options, exists: (id) => this.#live.index.tokens.some(({ token }) => token.id === id) })
  }

  /**
   * Resolves when the token can be used, with its text (`swt_<id>_<secret>`: the password that clients send), which is shown only once and
   * not stored. Rejects with `OperatorError` for invalid options, or the system's error.
   */
  async create(options: NewTokenOptions) {
    const { clock, wallTime, random } = this.options
    const { readOnly, expires } = options
    const name = options.name.normalize()
    const services = options.services === undefined ? undefined : [...new Set(options.services)]
    const problem = newNameProblem(name)
    if (problem !== undefined) throw new OperatorError(problem)
    if (services?.length === 0) throw new OperatorError('the services must be one or more')
    const now = wallTime()
    // NaN, from an invalid date, is refused too.
    if (expires !== undefined && !(fromIsoTime(expires) > now)) throw new OperatorError('the token must expire in the future')
    const created = await this.#file.change(clock, (tokens) => {
      if (tokens.length >= MAX_TOKENS) throw new OperatorError(`there are ${MAX_TOKENS} tokens already: revoke one first`)
      // Names and ids must not collide: commands accept either.
      if (tokens.some((token) => token.name === name || token.id === name)) {
        throw new OperatorError(`there is a token ${JSON.stringify(name)} already: choose another name, or revoke it first`)
      }
      const parts = randomParts(random, (id) => id === name || tokens.some((token) => token.id === id || token.name === id))
      const token: Token = { id: parts.id, name, readOnly, services, created: isoTime(now), expires }
      const stored = { ...token, sha256: sha256.digest(parts.secret).toString() }
      return { tokens: [...tokens, stored], result: { text: tokenText(parts), token } }
    })
    this.#live.invalidate()
    return created
  }

  /** All tokens in order of creation. Throws `OperatorError` for an invalid file, or the system's error. */
  list(): readonly ListedToken[] {
    const uses = this.#uses.read()
    return this.#file.read().map((token) => ({ ...publicPart(token), lastUsed: uses.get(token.id) }))
  }

  /** Resolves with the revoked token. Rejects with `OperatorError` if no token has this name or id, or with the system's error. */
  async revoke(nameOrId: string): Promise<Token> {
    const name = nameOrId.normalize()
    const revoked = await this.#file.change(this.options.clock, (tokens) => {
      const match = tokens.find((token) => token.id === nameOrId || token.name === name)
      if (match === undefined) throw new OperatorError(unknownToken(nameOrId, tokens))
      return { tokens: tokens.filter((token) => token !== match), result: publicPart(match) }
    })
    this.#live.invalidate()
    return revoked
  }

  /**
   * The token for this text; undefined if it is unknown, revoked or expired. The file is checked once per turn of the event loop, so
   * changes by other processes apply at once. Takes the same time for valid and invalid texts. Throws `tokens-unreadable` (503).
   */
  authenticate(text: string): Token | undefined {
    const match = this.#live.trusted.find(text)
    if (match === undefined) return undefined
    const { token, expiresMs } = match
    const now = this.options.wallTime()
    if (now >= expiresMs) {
      this.#logExpired(token)
      return undefined
    }
    this.#uses.record(token.id, now)
    return token
  }

  /** Reads the file now, and logs if it cannot. */
  check(): void {
    this.#live.check()
  }

  /** A sentence for operators while the file cannot be read. */
  get warnings(): readonly string[] {
    return this.#live.warnings
  }

  readonly metrics: MetricSource = () => {
    const now = this.options.wallTime()
    const count = { full: 0, 'read-only': 0, expired: 0 }
    for (const { token, expiresMs } of this.#live.index.tokens)
      count[now >= expiresMs ? 'expired' : token.readOnly ? 'read-only' : 'full']++
    return [
      {
        name: 'slotwire_tokens',
        help: 'Access tokens; expired ones are refused.',
        type: 'gauge',
        samples: Object.entries(count).map(([kind, value]) => ({ labels: { kind }, value })),
      },
    ]
  }

  /** Writes the last uses. */
  close(): void {
    this.#uses.close()
  }

  /** Logs once per token: the holder may retry forever. */
  #logExpired({ id, name, expires }: Token): void {
    if (this.#expiredUsed.has(id)) return
    if (this.#expiredUsed.size >= MAX_TOKENS) this.#expiredUsed.clear()
    this.#expiredUsed.add(id)
    this.options.log.warn({ token: name, expires }, 'an expired token was used')
  }
}

function unknownToken(nameOrId: string, tokens: readonly Token[]): string {
  const meant = nearest(
    nameOrId,
    tokens.map(({ name }) => name),
  )
  const remedy = meant === undefined ? 'see slotwire token list' : `did you mean ${JSON.stringify(meant)}?`
  return `there is no token ${JSON.stringify(nameOrId)}: ${remedy}`
}

function publicPart({ sha256: _, ...token }: StoredToken): Token {
  return token
}

const UNREADABLE = 'requests with a token get 503'
const KEPT = 'the tokens read last stay in force'

/**
 * The tokens of the file, read again after another process changed it. While the file is invalid, the last good tokens stay in force; while
 * it has changed and cannot be read, or was never read, no token is accepted; without a file the list is empty. The file is checked once per turn of the event
 * loop, so requests that arrived together share a check.
 */
class LiveTokens {
  #index = new TokenIndex([])
  #version: string | undefined
  /** The problem with the file, as last logged. */
  #problem: string | undefined
  /** Whether the tokens are not known: a token may have been revoked. */
  #isUnreadable = false
  /** Whether a valid file was read since the start. */
  #wasRead = false
  /** Whether the file was checked in this turn. */
  #isFresh = false

  constructor(
    private readonly file: TokenFile,
    private readonly log: Log,
  ) {}

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
    let version: string | undefined
    try {
      version = this.file.version()
      if (version === this.#version) {
        this.#isUnreadable = version !== undefined && !this.#wasRead
        return
      }
      // A write between these two calls is read now and again at the next check.
      this.#index = new TokenIndex(this.file.read())
      this.#version = version
      this.#isUnreadable = false
      this.#wasRead = true
      if (this.#problem !== undefined) this.log.info({ file: this.file.path }, 'the tokens can be read again')
      this.#problem = undefined
    } catch (error) {
      // Do not read an invalid file again before it changes. Retry an unreadable one.
      const isInvalid = error instanceof OperatorError
      if (isInvalid) this.#version = version
      this.#isUnreadable = !isInvalid || !this.#wasRead
      this.#logProblem(error)
    }
  }

  /** A sentence for operators while the file cannot be read. */
  get warnings(): readonly string[] {
    this.check()
    if (this.#problem === undefined) return []
    return [`tokens: tokens.json cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`]
  }

  /** The tokens to check a request with. Throws `tokens-unreadable` while they are not known. */
  get trusted(): TokenIndex {
    this.check()
    if (this.#isUnreadable) throw coreErrors.tokensUnreadable()
    return this.#index
  }

  /** Makes the next access check the file again: this process has changed it. */
  invalidate(): void {
    this.#isFresh = false
  }

  #logProblem(error: unknown): void {
    const problem =
      error instanceof OperatorError || error instanceof UnusableFileError
        ? error.message
        : `${this.file.path} cannot be read (${codeOf(error) ?? String(error)})`
    if (problem === this.#problem) return
    this.#problem = problem
    this.log.error({ reason: problem }, `the tokens cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`)
  }
}

/** Primitives of a lookup; every lookup uses each of them once. */
export interface Digests {
  readonly digest: (secret: string) => Buffer
  /** Takes the same time for all contents. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean
}

interface IndexedToken {
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
  readonly #entries: ReadonlyMap<string, IndexedToken>

  constructor(
    stored: readonly StoredToken[],
    private readonly digests: Digests = sha256,
  ) {
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

  get tokens(): readonly IndexedToken[] {
    return [...this.#entries.values()]
  }

  /** Finds the token for a text. Takes the same time for valid and invalid texts. */
  find(text: string): IndexedToken | undefined {
    const { id, secret } = tokenParts(text)
    const entry = this.#entries.get(id)
    const same = this.digests.equal(this.digests.digest(secret), entry?.digest ?? NO_DIGEST)
    return same ? entry : undefined
  }
}
