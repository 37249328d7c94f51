import { hash, timingSafeEqual } from 'node:crypto'
import { fromIsoTime } from '@slotwire/core'
import type { Token } from './token.ts'
import type { StoredToken } from './token-document.ts'
import { tokenParts } from './token-text.ts'

/** What looking for a token is made of; every look does each of them once. */
export interface Digests {
  readonly digest: (secret: string) => Uint8Array
  /** In a time that does not depend on what is compared. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean
}

/** A token as one index has it, which is what the right text proves. It stands for nothing in any other index. */
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
/** Compared where there is no such token, so that this costs the same. */
const NO_DIGEST = new Uint8Array(SHA256_BYTES)

/** Tokens by their id. */
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

  /** The token with this text. Takes as long whether there is none, another, or the right one. */
  find(text: string): Proof | undefined {
    const { id, secret } = tokenParts(text)
    const entry = this.#entries.get(id)
    const same = this.#digests.equal(this.#digests.digest(secret), entry?.digest ?? NO_DIGEST)
    return same ? entry : undefined
  }

  /** Whether this proof is of this index: what another one has found may have been changed or revoked since. */
  holds(proof: Proof): boolean {
    return this.#entries.get(proof.token.id) === proof
  }
}
