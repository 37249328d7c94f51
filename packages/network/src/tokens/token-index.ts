import { hash, timingSafeEqual } from 'node:crypto'
import { fromIsoTime } from '@slotwire/core'
import type { Token } from './token.ts'
import type { StoredToken } from './token-document.ts'
import { tokenParts } from './token-text.ts'

/** Primitives of a lookup; every lookup uses each of them once. */
export interface Digests {
  readonly digest: (secret: string) => Uint8Array
  /** Takes the same time for all contents. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean
}

/** Proof that the client has a token, found in one index. It is not valid in another index. */
export interface Proof {
  readonly token: Token
  /** Milliseconds since 1970. */
  readonly expiresMs: number
}

interface Entry extends Proof {
  readonly digest: Uint8Array
}

export const sha256: Digests = { digest: (secret) => hash('sha256', secret, 'buffer'), equal: timingSafeEqual }

const SHA256_BYTES = 32
/** Compared for unknown ids, so that they take the same time. */
const NO_DIGEST = new Uint8Array(SHA256_BYTES)

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
          digest: Buffer.from(hex, 'hex'),
          expiresMs: token.expires === undefined ? Number.POSITIVE_INFINITY : fromIsoTime(token.expires),
        },
      ]),
    )
  }

  get tokens(): readonly Proof[] {
    return [...this.#entries.values()]
  }

  /** Finds the token for a text. Takes the same time for valid and invalid texts. */
  find(text: string): Proof | undefined {
    const { id, secret } = tokenParts(text)
    const entry = this.#entries.get(id)
    const same = this.#digests.equal(this.#digests.digest(secret), entry?.digest ?? NO_DIGEST)
    return same ? entry : undefined
  }

  /** Whether this index found the proof: a token may have changed since another index found it. */
  contains(proof: Proof): boolean {
    return this.#entries.get(proof.token.id) === proof
  }
}
