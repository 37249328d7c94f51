/** A message as it came from a network. */
export interface Datagram {
  readonly bytes: Buffer
  /** The interface that leads to where it came from. */
  readonly interfaceName: string
  /** Not from the port of multicast DNS: a simple resolver, which has to be answered alone (RFC 6762 section 6.7). */
  readonly simple: boolean
  /** Answers the sender alone, who must be in one of our networks. Never rejects: what cannot be sent is lost, as on any network. */
  reply(bytes: Buffer): Promise<void>
}

/** The networks that this host is in, as multicast DNS uses them. */
export interface MulticastLink {
  /** Names of the interfaces. */
  readonly interfaces: readonly string[]
  /** Resolves when it is out. Never rejects: what cannot be sent is lost, as on any network. */
  send(interfaceName: string, bytes: Buffer): Promise<void>
  /** Calls `listener` for each message until the returned function is called; also for our own. */
  listen(listener: (datagram: Datagram) => void): () => void
  close(): Promise<void>
}
