import { type Log, messageOf } from '@slotwire/core'
import { type DiscoveryOptions, HomeAssistantOutput } from './home-assistant.ts'
import { alertPath, type MetricData, type MetricValue } from './metric.ts'
import type { OutputContext, PayloadFormat } from './output.ts'
import type { DeviceRecord } from './record-queue.ts'
import { statusMessage } from './status.ts'
import { aboutTopic, alertTopic, eventTopic, stateTopic } from './topics.ts'
import type { Output } from './watched-device.ts'

/** With so many unacknowledged messages, values wait here, each as its newest only. */
const MAX_UNWRITTEN = 1000

/** A device as plain topics: a retained text for each metric, and JSON for alerts; docs/guide/mqtt.md. */
class PlainOutput implements Output {
  /** The newest values that the broker does not have, by topic. */
  readonly #waiting = new Map<string, string>()
  /** The newest text of each topic in this connection: only changes are sent. */
  readonly #newest = new Map<string, string>()
  #isSending = false

  constructor(
    private readonly context: Pick<OutputContext, 'broker' | 'device' | 'published'>,
    private readonly log: Log,
  ) {}

  onDevice(): void {
    const { device, published } = this.context
    const { id, url, modules, metrics } = device
    const texts = new Map<string, string>()
    for (const [path, { value }] of metrics) texts.set(stateTopic(id, path), textOf(value))
    texts.set(aboutTopic(id), JSON.stringify({ id, url, modules }))
    // Last: a reader that sees the device online has its values.
    const { topic, payload } = statusMessage(published, 'online')
    texts.set(topic, String(payload))
    // What is gone is cleared.
    for (const each of this.#newest.keys()) if (!texts.has(each)) this.#set(each, '')
    for (const [each, text] of texts) this.#set(each, text)
    void this.#send()
  }

  onValues(changes: readonly MetricValue[]): void {
    for (const { metric, value } of changes) this.#set(stateTopic(this.context.device.id, metric.path), textOf(value))
    void this.#send()
  }

  async onRecord(record: DeviceRecord): Promise<void> {
    const { broker, device } = this.context
    const { kind, slot, pin } = record
    const service = record['service'] ?? device.modules.find((module) => module.slot === slot)?.service
    const isPlaced = kind === 'alert' && typeof slot === 'number' && typeof pin === 'number' && typeof service === 'string'
    const topic = isPlaced ? alertTopic(device.id, alertPath({ service, slot }, 'pin', pin)) : eventTopic(device.id, kind)
    await broker.publish({ topic, payload: JSON.stringify(record), qos: 1 })
  }

  #set(topic: string, text: string): void {
    if (this.#newest.get(topic) === text) return
    this.#newest.set(topic, text)
    this.#waiting.set(topic, text)
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    const { broker } = this.context
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const [topic, payload] = next
        this.#waiting.delete(topic)
        const written = broker.publish({ topic, payload, qos: 0, retain: true })
        void written.catch((error: unknown) => this.log.debug({ topic, reason: messageOf(error) }, 'a value was not published'))
        if (broker.waiting >= MAX_UNWRITTEN) await written.catch(() => undefined)
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
function textOf(value: MetricData): string {
  return value === undefined ? '' : String(value)
}

export interface PlainOptions {
  /** Undefined: nothing for Home Assistant. */
  readonly homeAssistant: DiscoveryOptions | undefined
  readonly log: Log
}

/** Devices as plain topics, and for Home Assistant. The will is the status `offline`. */
export function plainPayload({ homeAssistant, log }: PlainOptions): PayloadFormat {
  return {
    hasStatus: true,
    will: (published) => statusMessage(published, 'offline'),
    outputs: (context) => [
      new PlainOutput(context, log),
      ...(homeAssistant === undefined ? [] : [new HomeAssistantOutput(context, homeAssistant)]),
    ],
  }
}
