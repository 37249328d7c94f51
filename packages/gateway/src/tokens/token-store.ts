import { type Clock, fromIsoTime, isoTime, type Log, type Random, type WallTime } from '@slotwire/core'
import type { MetricSource } from '@slotwire/service'
import { OperatorError } from '../operator-error.ts'
import { LiveTokens } from './live-tokens.ts'
import { newNameProblem, type Token } from './token.ts'
import { MOST_TOKENS, type StoredToken } from './token-document.ts'
import { TokenFile } from './token-file.ts'
import { type Proof, sha256 } from './token-index.ts'
import { randomParts, tokenText } from './token-text.ts'
import { TokenUses } from './token-uses.ts'

export interface TokenStoreOptions {
  /** The state folder. */
  readonly folder: string
  readonly clock: Clock
  readonly wallTime: WallTime
  /** Must be unpredictable: secrets are made of it. */
  readonly random: Random
  readonly log: Log
}

/** A token that is wished for. */
export type TokenWish = Pick<Token, 'name' | 'readOnly' | 'services' | 'expires'>

/** A token as it is seen once, when it is made. */
export interface CreatedToken {
  /** `swt_<id>_<secret>`: what clients send as password. Kept nowhere. */
  readonly text: string
  readonly token: Token
}

/** A token as it is listed. */
export interface ListedToken extends Token {
  /** ISO 8601; undefined: never. */
  readonly lastUsed: string | undefined
}

/** The access tokens of a device: made, listed and revoked by commands, let in by the service, which sees every change at once. */
export class TokenStore {
  readonly #options: TokenStoreOptions
  readonly #file: TokenFile
  readonly #live: LiveTokens
  readonly #uses: TokenUses
  /** Ids of expired tokens whose use the log has been told of. */
  readonly #expiredUsed = new Set<string>()

  constructor(options: TokenStoreOptions) {
    this.#options = options
    this.#file = new TokenFile(options.folder)
    this.#live = new LiveTokens(this.#file, options.log)
    this.#uses = new TokenUses({ ...options, exists: (id) => this.#live.index.tokens.some(({ token }) => token.id === id) })
  }

  /** Resolves when the token can be used. Rejects with `OperatorError` for a wish that cannot be granted, or the system's error. */
  async create(wish: TokenWish): Promise<CreatedToken> {
    const { clock, wallTime, random } = this.#options
    const name = wish.name.normalize()
    const services = wish.services === undefined ? undefined : [...new Set(wish.services)]
    const problem = newNameProblem(name)
    if (problem !== undefined) throw new OperatorError(problem)
    if (services?.length === 0) throw new OperatorError('the services must be one or more')
    const now = wallTime()
    // Also what is no date is not in the future.
    if (wish.expires !== undefined && !(fromIsoTime(wish.expires) > now))
      throw new OperatorError('the token must expire in the future')
    const created = await this.#file.change(clock, (tokens) => {
      if (tokens.length >= MOST_TOKENS) throw new OperatorError(`there are ${MOST_TOKENS} tokens already: revoke one first`)
      // A name is no token's id either, so that both can be said where a token is meant.
      if (tokens.some((token) => token.name === name || token.id === name)) {
        throw new OperatorError(`there is a token ${JSON.stringify(name)} already: choose another name, or revoke it first`)
      }
      const parts = randomParts(random, (id) => id === name || tokens.some((token) => token.id === id || token.name === id))
      const token = { id: parts.id, name, readOnly: wish.readOnly, services, created: isoTime(now), expires: wish.expires }
      const stored = { ...token, sha256: Buffer.from(sha256.digest(parts.secret)).toString('hex') }
      return { tokens: [...tokens, stored], result: { text: tokenText(parts), token } }
    })
    this.#live.expire()
    return created
  }

  /** In order of creation. Throws `OperatorError` for a file that cannot be understood, or the system's error. */
  list(): readonly ListedToken[] {
    const uses = this.#uses.read()
    return this.#file.read().map((token) => ({ ...publicPart(token), lastUsed: uses.get(token.id) }))
  }

  /** Resolves with the token that is no more. Rejects with `OperatorError` when there is none of this name or id, or the system's error. */
  async revoke(nameOrId: string): Promise<Token> {
    const name = nameOrId.normalize()
    const revoked = await this.#file.change(this.#options.clock, (tokens) => {
      const found = tokens.find((token) => token.id === nameOrId || token.name === name)
      if (found === undefined) throw new OperatorError(`there is no token ${JSON.stringify(nameOrId)}: see slotwire token list`)
      return { tokens: tokens.filter((token) => token !== found), result: publicPart(found) }
    })
    this.#live.expire()
    return revoked
  }

  /**
   * The token with this text, unless it was revoked or has expired. The file is looked at in each turn of the process, so a change by another
   * process counts at once. Takes as long for a wrong text as for a right one. Throws `tokens-unreadable` (503).
   */
  authenticate(text: string): Token | undefined {
    const proof = this.prove(text)
    return proof === undefined ? undefined : this.accept(proof)
  }

  /** What this text proves, for `accept` to judge, then and later; undefined: nothing. Takes as long for a wrong text as for a right one. */
  prove(text: string): Proof | undefined {
    return this.#live.trusted.find(text)
  }

  /** The token that was proved, unless any token was made, changed or revoked since, or it has expired. Looks at the file as `authenticate` does. */
  accept(proof: Proof): Token | undefined {
    if (!this.#live.trusted.holds(proof)) return undefined
    const { token, expiresMs } = proof
    const now = this.#options.wallTime()
    if (now >= expiresMs) {
      this.#tellOfExpired(token)
      return undefined
    }
    this.#uses.note(token.id, now)
    return token
  }

  readonly metrics: MetricSource = () => {
    const now = this.#options.wallTime()
    const count = { full: 0, 'read-only': 0, expired: 0 }
    for (const { token, expiresMs } of this.#live.index.tokens) count[kindOf(token, now >= expiresMs)]++
    return [
      {
        name: 'slotwire_tokens',
        help: 'Access tokens that there are; expired ones let nobody in.',
        type: 'gauge',
        samples: Object.entries(count).map(([kind, value]) => ({ labels: { kind }, value })),
      },
    ]
  }

  /** Writes down the last uses. */
  close(): void {
    this.#uses.close()
  }

  /** Once: whoever holds the token needs to know, but may try for ever. */
  #tellOfExpired({ id, name, expires }: Token): void {
    if (this.#expiredUsed.has(id)) return
    if (this.#expiredUsed.size >= MOST_TOKENS) this.#expiredUsed.clear()
    this.#expiredUsed.add(id)
    this.#options.log.warn({ token: name, expires }, 'a token was used that has expired')
  }
}

function kindOf({ readOnly }: Token, expired: boolean): 'full' | 'read-only' | 'expired' {
  if (expired) return 'expired'
  return readOnly ? 'read-only' : 'full'
}

function publicPart({ sha256: _, ...token }: StoredToken): Token {
  return token
}
