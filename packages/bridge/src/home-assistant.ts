import type { BrokerMessage } from './broker.ts'
import type { AlertSource, Metric, MetricValue } from './metric.ts'
import type { BridgedDevice, OutputContext } from './output.ts'
import { jsonOf } from './status.ts'
import { alertTopic, setTopic, stateTopic, statusTopic } from './topics.ts'
import type { Output } from './watched-device.ts'

/** `components`: a message for each entity, which every Home Assistant knows. `device`: one message, from Home Assistant 2024.12 on. */
export const DISCOVERY_STYLES = ['components', 'device'] as const
export type DiscoveryStyle = (typeof DISCOVERY_STYLES)[number]

/** What all discovery messages have in common. */
export interface DiscoveryOptions {
  /** First level of the topics: `homeassistant`, unless it is configured otherwise there. */
  readonly prefix: string
  readonly style: DiscoveryStyle
  /** Of Slotwire. */
  readonly version: string
}

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
    private readonly context: Pick<OutputContext, 'broker' | 'device' | 'commands'>,
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

/** First digits of a machine id in the name of a device. */
const SHORT_ID = 8
const MODEL = 'Slotwire device'
const nodeOf = (id: string): string => `slotwire_${id}`
const deviceTopicOf = (prefix: string, id: string): string => `${prefix}/device/${nodeOf(id)}/config`

/** Where the broker may have discovery messages of a device: also those of an earlier run. */
function discoveryFilters(prefix: string, id: string, style: DiscoveryStyle): readonly string[] {
  const components = `${prefix}/+/${nodeOf(id)}/+/config`
  return style === 'device' ? [components, deviceTopicOf(prefix, id)] : [components]
}

/** The discovery messages of a device by their topics. */
function discoveryOf(
  device: BridgedDevice,
  entities: readonly Entity[],
  options: DiscoveryOptions,
): ReadonlyMap<string, EntitySettings> {
  const { prefix, style } = options
  const shared = sharedSettings(device, options)
  if (style === 'components') {
    return new Map(
      entities.map(({ component, key, settings }) => [
        `${prefix}/${component}/${nodeOf(device.id)}/${key}/config`,
        { ...settings, ...shared },
      ]),
    )
  }
  const components = entities.map(({ component, key, settings }) => [key, { platform: component, ...settings }] as const)
  return new Map([[deviceTopicOf(prefix, device.id), { ...shared, components: Object.fromEntries(components) }]])
}

/**
 * What removes the entities that an earlier device message (JSON) has and a new one has not: the new one, with only the platform of each.
 * Undefined: there is nothing to remove.
 */
function removalOf(earlier: unknown, next: EntitySettings): EntitySettings | undefined {
  const [before, now] = [componentsOf(earlier), componentsOf(next)]
  // One with only its platform is removed already.
  const removed = Object.entries(before)
    .filter(([key, settings]) => !Object.hasOwn(now, key) && Object.keys(settings).length > 1)
    .map(([key, { platform }]) => [key, { platform }] as const)
  return removed.length === 0 ? undefined : { ...next, components: { ...now, ...Object.fromEntries(removed) } }
}

function componentsOf(message: unknown): Readonly<Record<string, { readonly platform?: unknown }>> {
  const { components } = (message ?? {}) as { readonly components?: unknown }
  return typeof components === 'object' && components !== null ? (components as Record<string, { platform?: unknown }>) : {}
}

function sharedSettings({ id, url }: BridgedDevice, { version }: DiscoveryOptions): EntitySettings {
  return {
    availability: [{ topic: statusTopic(id), value_template: '{{ value_json.state }}' }],
    device: {
      identifiers: [nodeOf(id)],
      name: `Slotwire ${id.slice(0, SHORT_ID)}`,
      manufacturer: 'Slotwire',
      model: MODEL,
      serial_number: id,
      ...(/^https?:/.test(url) ? { configuration_url: url } : {}),
    },
    origin: { name: 'slotwire', sw_version: version },
  }
}

/** Settings of an entity, by their long names in Home Assistant's documentation of MQTT. */
type EntitySettings = Readonly<Record<string, unknown>>

/** What Home Assistant shows of a metric or of a source of alerts. */
type Entity = ReturnType<typeof entity>

/** Words that are shown as on and off. */
const [ON, OFF] = ['high', 'low']
/** Without a value the state is empty, which Home Assistant ignores; `None` makes it unknown. */
const EMPTY_IS_UNKNOWN = "{{ value if value else 'None' }}"
/** An event has one type: the first flag. Its attributes have all of them. */
const ALERT_AS_EVENT = "{{ {'event_type': value_json.alerts[0], 'alerts': value_json.alerts, 'record': value_json.id} | tojson }}"

/** The entities of a device. `hasCommands`: settings can be changed, else they are only shown. */
export function entitiesOf(device: BridgedDevice, hasCommands: boolean): readonly Entity[] {
  return [
    ...[...device.metrics.values()]
      .filter(({ metric, value }) => !isSwitch(metric) || value !== undefined)
      .map(({ metric }) => entityOf(device.id, metric, hasCommands)),
    ...device.alertSources.map((source) => eventOf(device.id, source)),
  ]
}

function entityOf(id: string, metric: Metric, hasCommands: boolean): Entity {
  const { component, ...settings } = shapeOf(metric, hasCommands && metric.control !== undefined)
  return entity(id, component, metric, {
    state_topic: stateTopic(id, metric.path),
    value_template: EMPTY_IS_UNKNOWN,
    ...(component === 'select' || component === 'switch' ? { command_topic: setTopic(id, metric.path) } : {}),
    ...settings,
  })
}

function eventOf(id: string, source: AlertSource): Entity {
  return entity(id, 'event', source, {
    state_topic: alertTopic(id, source.path),
    event_types: Object.keys(source.alerts),
    value_template: ALERT_AS_EVENT,
    qos: 1,
  })
}

/** `component`: the platform, as `sensor`. */
function entity(id: string, component: string, { path, name }: { path: string; name: string }, more: EntitySettings) {
  /** Unique within the device; letters, digits and underscores only. */
  const key = path.replaceAll(/[^A-Za-z0-9]+/g, '_')
  const settings: EntitySettings = { name, unique_id: `slotwire_${id}_${key}`, ...more }
  return { component, key, settings }
}

/** What drives a pin. It has a value only while the pin is an output; else the readings of the pin show it. */
function isSwitch(metric: Metric): boolean {
  return metric.control !== undefined && isOnOff(metric)
}

function isOnOff({ words }: Metric): boolean {
  return words?.length === 2 && words.includes(ON) && words.includes(OFF)
}

/** The platform of a metric, and the settings that only this kind has. */
function shapeOf(metric: Metric, isSettable: boolean): EntitySettings & { readonly component: string } {
  const { type, words } = metric
  if (type === 'boolean') return { component: 'binary_sensor', payload_on: 'true', payload_off: 'false' }
  if (type === 'number') return { component: 'sensor', ...numberOf(metric) }
  if (isOnOff(metric)) return { component: isSettable ? 'switch' : 'binary_sensor', payload_on: ON, payload_off: OFF }
  if (words === undefined) return { component: 'sensor' }
  return isSettable ? { component: 'select', options: words } : { component: 'sensor', device_class: 'enum', options: words }
}

function numberOf({ unit, deviceClass, isCounter }: Metric): EntitySettings {
  return {
    state_class: isCounter ? 'total_increasing' : 'measurement',
    ...(unit === undefined ? {} : { unit_of_measurement: unit }),
    ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
    ...(isCounter ? { entity_category: 'diagnostic' } : {}),
  }
}
