/** What is known of an access token: everything but the token itself. */
export interface Token {
  /** Part of the token's text; public. */
  readonly id: string
  /** For people; unique. */
  readonly name: string
  readonly readOnly: boolean
  /** Services (`io`, `power`) that it opens; undefined: all. */
  readonly services: readonly string[] | undefined
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601; undefined: never. */
  readonly expires: string | undefined
}
