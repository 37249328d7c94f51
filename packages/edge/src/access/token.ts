/** The part of an access token that doors need. */
export interface Token {
  /** Part of the token's text; public. */
  readonly id: string
  /** Unique name, for users. */
  readonly name: string
  readonly readOnly: boolean
  /** Services (`io`, `power`) that the token may use; undefined: all. */
  readonly services: readonly string[] | undefined
}

/** Proof that a client has a token; `accept` checks it, now or later. */
export interface Proof {
  readonly token: Token
  /** Milliseconds since 1970. */
  readonly expiresMs: number
}

/** The present tokens of a device. Both methods throw `tokens-unreadable` (503) while the stored tokens cannot be read. */
export interface Tokens {
  /** Looks up a text; undefined: unknown. Takes the same time for valid and invalid texts. */
  prove(text: string): Proof | undefined
  /** The token of a proof; undefined if any token was created, changed or revoked since, or if it has expired. */
  accept(proof: Proof): Token | undefined
}
