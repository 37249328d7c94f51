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
  /** It was stored by the broker before this subscription, or was sent to be stored. */
  readonly retain: boolean
  /** What the broker left of the sender's expiry, in seconds. */
  readonly expirySeconds?: number | undefined
  readonly responseTopic?: string | undefined
  readonly correlation?: Uint8Array | undefined
  /** User properties; several values if a name was given more than once. */
  readonly properties: Readonly<Record<string, string | readonly string[]>>
}

/** One connection to an MQTT 5 broker. It has no session: the broker queues nothing for it. After a loss, make another one. */
export interface Broker {
  /** Messages that are not written or acknowledged yet. */
  readonly waiting: number
  /** Resolves when the connection is gone, with the reason. */
  readonly lost: Promise<string>
  /**
   * Resolves when the message is written (QoS 0) or acknowledged (QoS 1), or was left out because the broker takes none of its size. Rejects if
   * the broker refuses it, or the connection is lost before. Nothing is stored.
   */
  publish(message: Publication): Promise<void>
  /** Adds topic filters; `isLiveOnly`: without what the broker retains. Rejects if the broker refuses one. */
  subscribe(filters: readonly string[], isLiveOnly?: boolean): Promise<void>
  unsubscribe(filters: readonly string[]): Promise<void>
  /** Calls `listener` with each message. Returns a function that ends it. */
  onMessage(listener: (message: BrokerMessage) => void): () => void
  /** Disconnects. The broker publishes the will, if there is one and `withWill` is not false. */
  close(withWill?: boolean): Promise<void>
}

export interface BrokerOptions {
  /** The broker has one connection of each client id: the newer one ends the older one. */
  readonly clientId: string
  readonly will?: Publication
  readonly signal: AbortSignal
}

/** Connects to the broker once. Rejects with a sentence for the operator. */
export type ConnectBroker = (options: BrokerOptions) => Promise<Broker>
