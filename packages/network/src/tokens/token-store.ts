import { fromIsoTime, isoTime, nearest, type Random, type WallTime } from '@slotwire/core'
import type { MetricSource } from '@slotwire/service'
import { OperatorError } from '../operator-error.ts'
import { LiveTokens, sha256 } from './live-tokens.ts'
import { MOST_TOKENS, newNameProblem, randomParts, type StoredToken, type Token, tokenText } from './token-document.ts'
import { TokenFile, TokenUses, type TokenUsesOptions } from './token-files.ts'

export interface TokenStoreOptions extends Omit<TokenUsesOptions, 'exists'> {
  readonly wallTime: WallTime
  /** Must be unpredictable: secrets are generated from it. */
  readonly random: Random
}

/** Options of a new token. */
export type NewTokenOptions = Pick<Token, 'name' | 'readOnly' | 'services' | 'expires'>

/** A new token with its text, which is shown only once. */
export interface CreatedToken {
  /** `swt_<id>_<secret>`: the password that clients send. It is not stored. */
  readonly text: string
  readonly token: Token
}

/** A token in a list. */
export interface ListedToken extends Token {
  /** ISO 8601; undefined: never. */
  readonly lastUsed: string | undefined
}

/** The access tokens of a device. Commands create, list and revoke them; the service checks them and sees every change at once. */
export class TokenStore {
  readonly #options: TokenStoreOptions
  readonly #file: TokenFile
  readonly #live: LiveTokens
  readonly #uses: TokenUses
  /** Expired tokens whose use has been logged. */
  readonly #expiredUsed = new Set<string>()

  constructor(options: TokenStoreOptions) {
    this.#options = options
    this.#file = new TokenFile(options.folder)
    this.#live = new LiveTokens(this.#file, options.log)
    this.#uses = new TokenUses({ ...options, exists: (id) => this.#live.index.tokens.some(({ token }) => token.id === id) })
  }

  /** Resolves when the token can be used. Rejects with `OperatorError` for invalid options, or the system's error. */
  async create(options: NewTokenOptions): Promise<CreatedToken> {
    const { clock, wallTime, random } = this.#options
    const name = options.name.normalize()
    const services = options.services === undefined ? undefined : [...new Set(options.services)]
    const problem = newNameProblem(name)
    if (problem !== undefined) throw new OperatorError(problem)
    if (services?.length === 0) throw new OperatorError('the services must be one or more')
    const now = wallTime()
    // NaN, from an invalid date, is refused too.
    if (options.expires !== undefined && !(fromIsoTime(options.expires) > now))
      throw new OperatorError('the token must expire in the future')
    const created = await this.#file.change(clock, (tokens) => {
      if (tokens.length >= MOST_TOKENS) throw new OperatorError(`there are ${MOST_TOKENS} tokens already: revoke one first`)
      // Names and ids must not collide: commands accept either.
      if (tokens.some((token) => token.name === name || token.id === name)) {
        throw new OperatorError(`there is a token ${JSON.stringify(name)} already: choose another name, or revoke it first`)
      }
      const parts = randomParts(random, (id) => id === name || tokens.some((token) => token.id === id || token.name === id))
      const token = { id: parts.id, name, readOnly: options.readOnly, services, created: isoTime(now), expires: options.expires }
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
    const revoked = await this.#file.change(this.#options.clock, (tokens) => {
      const found = tokens.find((token) => token.id === nameOrId || token.name === name)
      if (found === undefined) throw new OperatorError(unknownToken(nameOrId, tokens))
      return { tokens: tokens.filter((token) => token !== found), result: publicPart(found) }
    })
    this.#live.invalidate()
    return revoked
  }

  /**
   * The token for this text; undefined if it is unknown, revoked or expired. The file is checked once per turn of the event loop, so
   * changes by other processes apply at once. Takes the same time for valid and invalid texts. Throws `tokens-unreadable` (503).
   */
  authenticate(text: string): Token | undefined {
    const found = this.#live.trusted.find(text)
    if (found === undefined) return undefined
    const { token, expiresMs } = found
    const now = this.#options.wallTime()
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
    const now = this.#options.wallTime()
    const count = { full: 0, 'read-only': 0, expired: 0 }
    for (const { token, expiresMs } of this.#live.index.tokens) count[kindOf(token, now >= expiresMs)]++
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
    if (this.#expiredUsed.size >= MOST_TOKENS) this.#expiredUsed.clear()
    this.#expiredUsed.add(id)
    this.#options.log.warn({ token: name, expires }, 'an expired token was used')
  }
}

function kindOf({ readOnly }: Token, expired: boolean): 'full' | 'read-only' | 'expired' {
  if (expired) return 'expired'
  return readOnly ? 'read-only' : 'full'
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
