/** The client of a request, as identified by the door. */
export interface Caller {
  /** The door determines the rights, not the address: a local program at the network door is a network caller. */
  readonly door: 'loopback' | 'network'
  /** IP address of the client: from the connection, or from a configured proxy. */
  readonly address: string
  /** The token of the request; undefined at the loopback door. */
  readonly token?: { readonly id: string; readonly name: string }
  /** Refuse requests with an effect, and keep notifications pending. */
  readonly readOnly: boolean
  /** Whether the caller may learn that something is at a path of this server; undefined: at every path. */
  readonly sees?: (path: string) => boolean
  /** Whether the caller still has these rights: false once its token was revoked, has expired or was changed. Undefined: always. */
  readonly isValid?: () => boolean
}
