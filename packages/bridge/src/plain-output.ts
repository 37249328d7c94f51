import { type Log, messageOf } from '@slotwire/core'
import type { Broker } from './broker.ts'
import { alertPath, type MetricValue, type Value } from './metric.ts'
import type { BridgedDevice, DeviceRecord, Output } from './output.ts'
import { aboutTopic, alertTopic, availabilityTopic, eventTopic, stateTopic } from './topics.ts'

/** With so many unacknowledged messages, values wait here, each as its newest only. */
const MOST_ON_THE_WAY = 1000

export interface PlainOutputOptions {
  readonly broker: Broker
  /** Name of the bridge. */
  readonly name: string
  readonly log: Log
}

/** Devices as plain topics: a retained text for each metric, and JSON for alerts; docs/guide/mqtt.md. */
export class PlainOutput implements Output {
  readonly #options: PlainOutputOptions
  /** The newest values that the broker does not have, by topic. */
  readonly #waiting = new Map<string, string>()
  /** What the broker has of each device since the connection, by topic: only changes are sent. */
  readonly #sent = new Map<string, Map<string, string>>()
  #isSending = false

  constructor(options: PlainOutputOptions) {
    this.#options = options
  }

  onLost(): void {
    this.#waiting.clear()
    this.#sent.clear()
  }

  onDevice(device: BridgedDevice): void {
    const { id, url, modules, metrics, isAvailable } = device
    const sent = this.#sent.get(id) ?? new Map<string, string>()
    this.#sent.set(id, sent)
    const topics = new Map<string, string>()
    for (const path of metrics.keys()) topics.set(stateTopic(id, path), textOf(device.valueOf(path)))
    topics.set(aboutTopic(id), JSON.stringify({ id, url, bridge: this.#options.name, modules }))
    // What is gone is cleared.
    for (const topic of sent.keys()) if (!topics.has(topic)) topics.set(topic, '')
    // Last: a reader that sees the device online has its values.
    topics.set(availabilityTopic(id), isAvailable ? 'online' : 'offline')
    for (const [topic, text] of topics) this.#set(sent, topic, text)
    void this.#send()
  }

  onValues({ id }: BridgedDevice, changes: readonly MetricValue[]): void {
    const sent = this.#sent.get(id)
    if (sent === undefined) return
    for (const { metric, value } of changes) this.#set(sent, stateTopic(id, metric.path), textOf(value))
    void this.#send()
  }

  async onRecord({ id, modules }: BridgedDevice, record: DeviceRecord): Promise<void> {
    const { kind, slot, pin } = record
    const service = record['service'] ?? modules.find((module) => module.slot === slot)?.service
    const isPlaced = kind === 'alert' && typeof slot === 'number' && typeof pin === 'number' && typeof service === 'string'
    const topic = isPlaced ? alertTopic(id, alertPath({ service, slot }, 'pin', pin)) : eventTopic(id, kind)
    await this.#options.broker.publish({ topic, payload: JSON.stringify(record), qos: 1 })
  }

  async onGone({ id }: BridgedDevice, reason: 'moved' | 'closing'): Promise<void> {
    this.#sent.delete(id)
    for (const topic of this.#waiting.keys()) if (topic.includes(id)) this.#waiting.delete(topic)
    if (reason === 'moved') return
    await this.#options.broker.publish({ topic: availabilityTopic(id), payload: 'offline', qos: 1, retain: true })
  }

  async close(): Promise<void> {
    this.#waiting.clear()
  }

  #set(sent: Map<string, string>, topic: string, text: string): void {
    if (sent.get(topic) === text) return
    sent.set(topic, text)
    this.#waiting.set(topic, text)
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    const { broker, log } = this.#options
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const [topic, payload] = next
        this.#waiting.delete(topic)
        const written = broker.publish({ topic, payload, qos: 0, retain: true })
        void written.catch((error: unknown) => log.debug({ topic, reason: messageOf(error) }, 'a value was not published'))
        if (broker.waiting >= MOST_ON_THE_WAY) await written.catch(() => undefined)
      }
    } finally {
      this.#isSending = false
    }
  }

  #next(): [string, string] | undefined {
    return this.#waiting.entries().next().value
  }
}

/** The payload of a state topic: without a value it is empty, which clears what the broker retains. */
function textOf(value: Value): string {
  return value === undefined ? '' : String(value)
}
