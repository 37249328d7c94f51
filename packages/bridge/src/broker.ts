/** A message to publish. */
export interface Publication {
  readonly topic: string
  readonly payload: string | Uint8Array
  readonly qos: 0 | 1
  readonly retain?: boolean
  /** The broker forgets the message after so many seconds. */
  readonly expirySeconds?: number
  /** Where an answer is expected. */
  readonly responseTopic?: string
  /** Of an answer: that of its request. */
  readonly correlation?: Uint8Array | undefined
}

/** A message that arrived. */
export interface BrokerMessage {
  readonly topic: string
  readonly payload: Uint8Array
  /** It was stored by the broker before this subscription. */
  readonly retain: boolean
  /** What the broker left of the sender's expiry, in seconds. */
  readonly expirySeconds?: number | undefined
  readonly responseTopic?: string | undefined
  readonly correlation?: Uint8Array | undefined
  readonly properties: Readonly<Record<string, string>>
}

/** One connection to an MQTT 5 broker, which is made again after a loss. It has no session: the broker queues nothing for it. */
export interface Broker {
  readonly isConnected: boolean
  /** Messages that are not written or acknowledged yet. */
  readonly waiting: number
  /** Resolves when the message is written (QoS 0) or acknowledged (QoS 1). Rejects if the connection is lost before. Nothing is stored. */
  publish(message: Publication): Promise<void>
  /** Adds topic filters, for this connection only: subscribe again after a loss. Rejects if the broker refuses one. */
  subscribe(filters: readonly string[]): Promise<void>
  unsubscribe(filters: readonly string[]): Promise<void>
  /** Calls `listener` with each message. Returns a function that ends it. */
  onMessage(listener: (message: BrokerMessage) => void): () => void
  /** Calls `listener` when the broker is connected, or lost. Returns a function that ends it. */
  onChange(listener: (isConnected: boolean) => void): () => void
  /** Disconnects in order: the will is not published. */
  close(): Promise<void>
}

export interface BrokerRole {
  /** Follows the name of the bridge in the client id: each connection of one bridge has its own. */
  readonly suffix: string
  /** The will of the next connection; called before each. */
  will(): Publication | undefined
}

/** Opens a connection; it may be lost at first. */
export type OpenBroker = (role: BrokerRole) => Broker
