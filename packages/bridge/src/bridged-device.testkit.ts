import type { Broker, BrokerMessage, BrokerRole, Publication } from './broker.ts'
import type { AlertSource, Metric, Value } from './metric.ts'
import type { BridgedDevice } from './output.ts'

export const MACHINE_ID = '0123456789abcdef0123456789abcdef'
const place = { service: 'io', slot: 3 }
const control = {
  path: 'pin/1',
  words: ['high', 'low'],
  isComplete: true,
  help: '',
  endpoint: 'setOutputState',
  input: (state: string) => ({ pin: 1, state }),
  read: () => undefined,
}
const named = (path: string, rest: Partial<Metric> & Pick<Metric, 'type'>): Metric => ({
  ...place,
  path: `io/3/${path}`,
  name: `Slot 3 ${path.replaceAll('/', ' ')}`,
  help: 'Help.',
  isCounter: false,
  ...rest,
})

/** A metric of each kind. */
export const METRICS = {
  volts: named('pin/1/volts', { type: 'number', unit: 'V', deviceClass: 'voltage' }),
  level: named('pin/2/level', { type: 'boolean' }),
  total: named('trips/total', { type: 'number', isCounter: true }),
  output: named('pin/1', { type: 'text', words: ['high', 'low'], control }),
  fan: named('fan/mode', { type: 'text', words: ['auto', '0', '20'], control }),
  mode: named('pin/1/mode', { type: 'text' }),
} satisfies Record<string, Metric>

const alertSource: AlertSource = {
  ...place,
  path: 'io/3/pin/1/alert',
  name: 'Slot 3 pin 1 alert',
  alerts: { high_voltage_alert: 'Too high.', high_current_alert: 'Too much.' },
}

/** A device with these metrics; `values` by path. */
export function bridgedDevice(
  metrics: readonly Metric[] = Object.values(METRICS),
  values: Readonly<Record<string, Value>> = {},
  isAvailable = true,
): BridgedDevice {
  return {
    id: MACHINE_ID,
    url: 'http://127.0.0.1:8080/',
    modules: [{ slot: 3, service: 'io', type: 'io', product: 'p', serial: 's', firmware: '1.0.0' }],
    isAvailable,
    metrics: new Map(metrics.map((metric) => [metric.path, metric])),
    alertSources: [alertSource],
    valueOf: (path) => values[path],
  }
}

/** A broker in memory that keeps retained messages, and sends a subscriber's own messages back. */
export class MemoryBroker implements Broker {
  readonly retained = new Map<string, string | Uint8Array>()
  readonly published: Publication[] = []
  readonly filters = new Set<string>()
  /** Read before each connection. */
  will: Publication | undefined
  isConnected = false
  readonly waiting = 0
  readonly #messages = new Set<(message: BrokerMessage) => void>()
  readonly #changes = new Set<(isConnected: boolean) => void>()
  #role: BrokerRole | undefined

  /** As `OpenBroker`. */
  readonly open = (role: BrokerRole): this => {
    this.#role = role
    return this
  }

  /** Connects, or loses the connection. */
  change(isConnected: boolean): void {
    if (isConnected) this.will = this.#role?.will()
    else this.filters.clear()
    this.isConnected = isConnected
    for (const listener of this.#changes) listener(isConnected)
  }

  /** A message from another client. */
  receive(topic: string, payload: string | Uint8Array, retain = false): void {
    const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
    if ([...this.filters].some((filter) => matches(filter, topic)))
      for (const listener of this.#messages) listener({ topic, payload: bytes, retain, properties: {} })
  }

  async publish(message: Publication): Promise<void> {
    this.published.push(message)
    if (message.retain !== true) return
    this.retained.set(message.topic, message.payload)
    if (message.payload.length === 0) this.retained.delete(message.topic)
    this.receive(message.topic, message.payload, true)
  }

  async subscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) this.filters.add(filter)
    for (const [topic, payload] of this.retained) this.receive(topic, payload, true)
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) this.filters.delete(filter)
  }

  onMessage(listener: (message: BrokerMessage) => void): () => void {
    this.#messages.add(listener)
    return () => this.#messages.delete(listener)
  }

  onChange(listener: (isConnected: boolean) => void): () => void {
    this.#changes.add(listener)
    return () => this.#changes.delete(listener)
  }

  async close(): Promise<void> {
    this.isConnected = false
  }
}

function matches(filter: string, topic: string): boolean {
  return new RegExp(`^${filter.replaceAll('+', '[^/]+').replace('#', '.*')}$`).test(topic)
}
