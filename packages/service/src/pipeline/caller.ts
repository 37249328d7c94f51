/** Who asks, as the door that the request came through has found. */
export interface Caller {
  /** The door decides what a caller may do, not the address: a local program at the network door is a network caller. */
  readonly door: 'loopback' | 'network'
  /** IP address of the client: that of the connection, or what a configured proxy says. */
  readonly address: string
  /** The token that it came with; none at the loopback door. */
  readonly token?: { readonly id: string; readonly name: string }
  /** May change nothing: requests with an effect are refused, notifications stay pending. */
  readonly readOnly: boolean
}
