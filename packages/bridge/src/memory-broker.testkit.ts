import { Listeners } from '@slotwire/core'
import type { Broker, BrokerMessage, ConnectBroker, Publication } from './broker.ts'

/** A broker in memory: it retains messages, publishes wills, and has one connection of each client id. */
export class MemoryBroker {
  readonly retained = new Map<string, string | Uint8Array>()
  readonly published: Publication[] = []
  readonly connections: MemoryConnection[] = []
  /** Set: publications are refused with it. */
  refusal: Error | undefined

  /** As `ConnectBroker`. */
  readonly connect: ConnectBroker = async ({ clientId, will }) => {
    this.connections.find((each) => !each.isLost && each.clientId === clientId)?.lose('another connection has the client id')
    return new MemoryConnection(this, clientId, will)
  }

  /** A connection of its own, for an output alone. */
  open(): MemoryConnection {
    return new MemoryConnection(this, String(this.connections.length), undefined)
  }

  take(message: Publication): void {
    this.published.push(message)
    if (message.retain === true) {
      if (message.payload.length === 0) this.retained.delete(message.topic)
      else this.retained.set(message.topic, message.payload)
    }
    this.deliver(message.topic, message.payload, { retain: message.retain === true })
  }

  /** A message of another client. */
  deliver(topic: string, payload: string | Uint8Array, more: Partial<BrokerMessage> = {}): void {
    for (const connection of this.connections) connection.receive(topic, payload, more)
  }

  /** The texts published at topics that end so, in order. */
  at(end: string): readonly string[] {
    return this.published.filter(({ topic }) => topic.endsWith(end)).map(({ payload }) => String(payload))
  }
}

export class MemoryConnection implements Broker {
  readonly filters = new Set<string>()
  readonly lost: Promise<string>
  readonly waiting = 0
  isLost = false
  readonly #messages = new Listeners<BrokerMessage>()
  #resolve: (reason: string) => void = () => undefined

  constructor(
    private readonly broker: MemoryBroker,
    readonly clientId: string,
    readonly will: Publication | undefined,
  ) {
    this.lost = new Promise((resolve) => {
      this.#resolve = resolve
    })
    broker.connections.push(this)
  }

  /** Ends the connection; the will is published if `withWill`. */
  lose(reason: string, withWill = true): void {
    if (this.isLost) return
    this.isLost = true
    if (this.will !== undefined && withWill) this.broker.take(this.will)
    this.#resolve(reason)
  }

  receive(
    topic: string,
    payload: string | Uint8Array,
    more: Partial<BrokerMessage>,
    filters: Iterable<string> = this.filters,
  ): void {
    const isWanted = [...filters].some((filter) =>
      new RegExp(`^${filter.replaceAll('+', '[^/]+').replace('#', '.*')}$`).test(topic),
    )
    if (this.isLost || !isWanted) return
    const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
    this.#messages.emit({ topic, payload: bytes, retain: false, properties: {}, ...more })
  }

  async publish(message: Publication): Promise<void> {
    if (this.isLost) throw new Error('the connection to the broker was lost')
    if (this.broker.refusal !== undefined) throw this.broker.refusal
    this.broker.take(message)
  }

  async subscribe(filters: readonly string[], isLiveOnly = false): Promise<void> {
    for (const filter of filters) this.filters.add(filter)
    if (!isLiveOnly) for (const [topic, payload] of this.broker.retained) this.receive(topic, payload, { retain: true }, filters)
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) this.filters.delete(filter)
  }

  onMessage(listener: (message: BrokerMessage) => void): () => void {
    return this.#messages.add(listener)
  }

  async close(withWill = true): Promise<void> {
    this.lose('closed', withWill)
  }
}
