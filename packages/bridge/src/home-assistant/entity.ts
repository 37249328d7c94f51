import type { AlertSource, Metric } from '../metric.ts'
import type { BridgedDevice } from '../output.ts'
import { alertTopic, setTopic, stateTopic } from '../topics.ts'

/** Settings of an entity, by their long names in Home Assistant's documentation of MQTT. */
export type EntitySettings = Readonly<Record<string, unknown>>

/** What Home Assistant shows of a metric or of a source of alerts. */
export interface Entity {
  /** The platform: `sensor`. */
  readonly component: string
  /** Unique within the device; letters, digits and underscores only. */
  readonly key: string
  readonly settings: EntitySettings
}

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
      .filter((metric) => !isSwitch(metric) || device.valueOf(metric.path) !== undefined)
      .map((metric) => entityOf(device.id, metric, hasCommands)),
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

function entity(id: string, component: string, { path, name }: { path: string; name: string }, settings: EntitySettings): Entity {
  const key = path.replaceAll(/[^A-Za-z0-9]+/g, '_')
  return { component, key, settings: { name, unique_id: `slotwire_${id}_${key}`, ...settings } }
}

/** What drives a pin. It has a value only while the pin is an output; else the readings of the pin show it. */
function isSwitch({ words, control }: Metric): boolean {
  return control !== undefined && words?.length === 2 && words.includes(ON) && words.includes(OFF)
}

/** The platform of a metric, and the settings that only this kind has. */
function shapeOf(metric: Metric, isSettable: boolean): EntitySettings & { readonly component: string } {
  const { type, words } = metric
  if (type === 'boolean') return { component: 'binary_sensor', payload_on: 'true', payload_off: 'false' }
  if (type === 'number') return { component: 'sensor', ...numberOf(metric) }
  if (words?.length === 2 && words.includes(ON) && words.includes(OFF)) {
    return { component: isSettable ? 'switch' : 'binary_sensor', payload_on: ON, payload_off: OFF }
  }
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
