import { orElse } from '@slotwire/core'
import type { Broker, BrokerMessage } from '../broker.ts'
import type { BridgedDevice, Output, OutputContext } from '../output.ts'
import { type DiscoveryOptions, discoveredDevice, discoveryFilters, discoveryOf, removalOf } from './discovery.ts'
import { entitiesOf, type Settings } from './entity.ts'

/** What was announced of a device in this connection. */
interface Announced {
  /** Discovery messages by topic. */
  messages: ReadonlyMap<string, Settings>
  /** Those that the broker has as we sent them, as text. */
  readonly sent: Map<string, string>
}

/**
 * Announces the devices of a bridge to Home Assistant: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. Their values are at the
 * plain topics. Discovery messages are retained. Those of entities that exist no more are removed, also those of an earlier run.
 */
export class HomeAssistantOutput implements Output {
  readonly #broker: Broker
  readonly #context: Pick<OutputContext, 'hasCommands'>
  readonly #options: DiscoveryOptions
  readonly #announced = new Map<string, Announced>()
  readonly #endListening: () => void
  /** One message at a time: a fleet has thousands. */
  #sending: Promise<void> = Promise.resolve()

  constructor(broker: Broker, context: Pick<OutputContext, 'hasCommands'>, options: DiscoveryOptions) {
    this.#broker = broker
    this.#context = context
    this.#options = options
    this.#endListening = broker.onMessage((message) => this.#removeEarlier(message))
  }

  onLost(): void {
    this.#announced.clear()
  }

  onDevice(device: BridgedDevice): void {
    const known = this.#announced.get(device.id)
    const messages = discoveryOf(device, entitiesOf(device, this.#context.hasCommands), this.#options)
    const announced = known ?? { messages, sent: new Map<string, string>() }
    announced.messages = messages
    this.#announced.set(device.id, announced)
    const filters = discoveryFilters(this.#options.prefix, device.id)
    // The broker sends what it has before it takes what follows.
    if (known === undefined) this.#send(() => this.#broker.subscribe(filters))
    for (const [topic, settings] of messages) this.#publish(announced, topic, settings)
    for (const topic of announced.sent.keys()) if (!messages.has(topic)) this.#remove(announced, topic)
    if (known === undefined) this.#send(() => this.#broker.unsubscribe(filters))
  }

  onValues(): void {
    // Values are at the plain topics.
  }

  /** Home Assistant keeps the device: it becomes unavailable, or another bridge has it. */
  async onGone({ id }: BridgedDevice): Promise<void> {
    this.#announced.delete(id)
    await this.#sending
  }

  async close(): Promise<void> {
    this.#endListening()
    await this.#sending
  }

  #publish(announced: Announced, topic: string, settings: Settings): void {
    const payload = JSON.stringify(settings)
    const before = announced.sent.get(topic)
    if (before === payload) return
    announced.sent.set(topic, payload)
    // A device message is replaced, which removes nothing by itself.
    const removal = before === undefined ? undefined : removalOf(JSON.parse(before), settings)
    if (removal !== undefined) this.#send(() => this.#retain(topic, JSON.stringify(removal)))
    this.#send(() => this.#retain(topic, payload))
  }

  #remove(announced: Announced, topic: string): void {
    announced.sent.delete(topic)
    this.#send(() => this.#retain(topic, ''))
  }

  /** A discovery message that the broker had before: of this run, or of an earlier one with other entities or in the other style. */
  #removeEarlier({ topic, payload, retain }: BrokerMessage): void {
    const announced = this.#announced.get(discoveredDevice(this.#options.prefix, topic) ?? '')
    if (!retain || payload.length === 0 || announced === undefined) return
    const settings = announced.messages.get(topic)
    if (settings === undefined) return this.#remove(announced, topic)
    const removal = removalOf(parsed(payload), settings)
    if (removal === undefined) return
    this.#send(() => this.#retain(topic, JSON.stringify(removal)))
    this.#send(() => this.#retain(topic, JSON.stringify(settings)))
  }

  #retain(topic: string, payload: string): Promise<void> {
    return this.#broker.publish({ topic, payload, qos: 1, retain: true })
  }

  /** If the broker is lost, the messages before the loss fail and all begins again. */
  #send(action: () => Promise<void>): void {
    this.#sending = this.#sending.then(action).catch(() => undefined)
  }
}

const UTF8 = new TextDecoder()

/** Another program's message is not always JSON. */
function parsed(payload: Uint8Array): unknown {
  return orElse(undefined, () => JSON.parse(UTF8.decode(payload)) as unknown)
}
