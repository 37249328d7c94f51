import type { BridgedDevice } from '../output.ts'
import { statusTopic } from '../topics.ts'
import type { Entity, EntitySettings } from './entity.ts'

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

/** First digits of a machine id in the name of a device. */
const SHORT_ID = 8
const MODEL = 'Slotwire device'
const nodeOf = (id: string): string => `slotwire_${id}`
export const deviceTopicOf = (prefix: string, id: string): string => `${prefix}/device/${nodeOf(id)}/config`

/** Where the broker may have discovery messages of a device: also those of an earlier run. */
export function discoveryFilters(prefix: string, id: string, style: DiscoveryStyle): readonly string[] {
  const components = `${prefix}/+/${nodeOf(id)}/+/config`
  return style === 'device' ? [components, deviceTopicOf(prefix, id)] : [components]
}

/** The discovery messages of a device by their topics. */
export function discoveryOf(
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
export function removalOf(earlier: unknown, next: EntitySettings): EntitySettings | undefined {
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
