import type { BrokerMessage } from '../broker.ts'
import type { MetricValue } from '../metric.ts'
import type { Output, OutputContext } from '../output.ts'
import { jsonOf } from '../status.ts'
import { type DiscoveryOptions, deviceTopicOf, discoveryFilters, discoveryOf, removalOf } from './discovery.ts'
import { type EntitySettings, entitiesOf } from './entity.ts'

type Context = Pick<OutputContext, 'broker' | 'device' | 'commands'>

/**
 * Announces a device to Home Assistant: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. Its values are at the plain topics.
 * Discovery messages are retained. Those of entities that exist no more are removed, also those of an earlier run.
 */
export class HomeAssistantOutput implements Output {
  #messages: ReadonlyMap<string, EntitySettings> | undefined
  /** What the broker has as we sent it, by topic. */
  readonly #sent = new Map<string, string>()
  /** One message at a time. */
  #sending: Promise<void> = Promise.resolve()

  constructor(
    private readonly context: Context,
    private readonly options: DiscoveryOptions,
  ) {
    context.broker.onMessage((message) => this.#removeEarlier(message))
  }

  onDevice(): void {
    const { broker, device, commands } = this.context
    const { prefix, style } = this.options
    const isFirst = this.#messages === undefined
    const messages = discoveryOf(device, entitiesOf(device, commands !== 'off'), this.options)
    this.#messages = messages
    const filters = discoveryFilters(prefix, device.id, style)
    if (isFirst) {
      // Cleared without reading it: it may be larger than what this client takes.
      if (style === 'components') this.#send(() => this.#retain(deviceTopicOf(prefix, device.id), ''))
      // The broker sends what it has before it takes what follows.
      this.#send(() => broker.subscribe(filters))
    }
    for (const [topic, settings] of messages) this.#publish(topic, settings)
    for (const topic of this.#sent.keys()) if (!messages.has(topic)) this.#remove(topic)
    if (isFirst) this.#send(() => broker.unsubscribe(filters))
  }

  /** Values are at the plain topics. But a pin is a switch only while it is an output. */
  onValues(changes: readonly MetricValue[]): void {
    if (changes.some(({ metric }) => metric.control !== undefined)) this.onDevice()
  }

  #publish(topic: string, settings: EntitySettings): void {
    const payload = JSON.stringify(settings)
    const before = this.#sent.get(topic)
    if (before === payload) return
    this.#sent.set(topic, payload)
    // A device message is replaced, which removes nothing by itself.
    const removal = before === undefined ? undefined : removalOf(JSON.parse(before), settings)
    if (removal !== undefined) this.#send(() => this.#retain(topic, JSON.stringify(removal)))
    this.#send(() => this.#retain(topic, payload))
  }

  #remove(topic: string): void {
    this.#sent.delete(topic)
    this.#send(() => this.#retain(topic, ''))
  }

  /** A discovery message that the broker had before: of this run, or of an earlier one with other entities or in the other style. */
  #removeEarlier({ topic, payload, retain }: BrokerMessage): void {
    const isOurs = topic.startsWith(`${this.options.prefix}/`)
    if (!retain || payload.length === 0 || this.#messages === undefined || !isOurs) return
    const settings = this.#messages.get(topic)
    if (settings === undefined) return this.#remove(topic)
    const removal = removalOf(jsonOf(payload), settings)
    if (removal === undefined) return
    this.#send(() => this.#retain(topic, JSON.stringify(removal)))
    this.#send(() => this.#retain(topic, JSON.stringify(settings)))
  }

  #retain(topic: string, payload: string): Promise<void> {
    return this.context.broker.publish({ topic, payload, qos: 1, retain: true })
  }

  /** If the broker is lost, the messages before the loss fail and all begins again. The connection logs a refusal. */
  #send(action: () => Promise<void>): void {
    this.#sending = this.#sending.then(action).catch(() => undefined)
  }
}
