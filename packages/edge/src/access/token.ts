/** What is known of an access token, as far as the door needs it. */
export interface Token {
  /** Part of the token's text; public. */
  readonly id: string
  /** For people; unique. */
  readonly name: string
  readonly readOnly: boolean
  /** Services (`io`, `power`) that it opens; undefined: all. */
  readonly services: readonly string[] | undefined
}

/** What the right text has proved, for `accept` to judge, then and later. */
export interface Proof {
  readonly token: Token
  /** Milliseconds since 1970. */
  readonly expiresMs: number
}

/** The tokens of a device, as they are at this moment. Both functions throw `tokens-unreadable` (503) while the stored tokens cannot be read. */
export interface Tokens {
  /** What this text proves; undefined: nothing. Takes as long for a wrong text as for a right one. */
  prove(text: string): Proof | undefined
  /** The token that was proved, unless any token was made, changed or revoked since, or it has expired. */
  accept(proof: Proof): Token | undefined
}
