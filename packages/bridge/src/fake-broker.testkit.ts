import { Listeners } from '@slotwire/core'
import type { Broker, BrokerMessage, Publication } from './broker.ts'

/** A broker in memory: it keeps what is published, and delivers what a test sends. */
export class FakeBroker implements Broker {
  readonly published: Publication[] = []
  readonly filters = new Set<string>()
  isConnected = true
  waiting = 0
  /** Set: publications are refused with it. */
  refusal: Error | undefined
  readonly #messages = new Listeners<BrokerMessage>()
  readonly #changes = new Listeners<boolean>()

  async publish(message: Publication): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal
    this.published.push(message)
  }

  async subscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) this.filters.add(filter)
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) this.filters.delete(filter)
  }

  onMessage(listener: (message: BrokerMessage) => void): () => void {
    return this.#messages.add(listener)
  }

  onChange(listener: (isConnected: boolean) => void): () => void {
    return this.#changes.add(listener)
  }

  async close(): Promise<void> {
    this.isConnected = false
  }

  connect(isConnected: boolean): void {
    this.isConnected = isConnected
    this.#changes.emit(isConnected)
  }

  deliver(topic: string, text: string, more: Partial<BrokerMessage> = {}): void {
    this.#messages.emit({ topic, payload: new TextEncoder().encode(text), retain: false, properties: {}, ...more })
  }

  /** The texts published at topics that end so, in order. */
  at(end: string): readonly string[] {
    return this.published.filter(({ topic }) => topic.endsWith(end)).map(({ payload }) => payload.toString())
  }
}
