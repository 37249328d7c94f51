/** A message received from a network. */
export interface Datagram {
  readonly bytes: Buffer
  /** The interface that leads to the sender. */
  readonly interfaceName: string
  /** Sent from another port than 5353: a legacy resolver, which needs a unicast response (RFC 6762 section 6.7). */
  readonly isLegacy: boolean
  /** Responds to the sender only, if it is in one of this host's networks. Never rejects: a message that cannot be sent is lost. */
  reply(bytes: Buffer): Promise<void>
}

/** The networks of this host, for multicast DNS. */
export interface MulticastLink {
  /** Names of the interfaces. */
  readonly interfaces: readonly string[]
  /** Whether the system still lists all memberships: an interface that is deleted and made again has none. */
  readonly isJoined: boolean
  /** Resolves when the message has been sent. Never rejects: a message that cannot be sent is lost. */
  send(interfaceName: string, bytes: Buffer): Promise<void>
  /** Calls `listener` for each message, this host's own included, until the returned function is called. */
  listen(listener: (datagram: Datagram) => void): () => void
  close(): Promise<void>
}
