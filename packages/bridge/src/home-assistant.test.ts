import { nextTurn } from '@slotwire/core'
import { expect, it } from 'vitest'
import { bridgedDevice, MACHINE_ID, METRICS } from './bridged-device.testkit.ts'
import { type DiscoveryStyle, entitiesOf, HomeAssistantOutput } from './home-assistant.ts'
import { MemoryBroker } from './memory-broker.testkit.ts'
import type { BridgedDevice } from './output.ts'

const topicOf = (component: string, key: string): string => `homeassistant/${component}/slotwire_${MACHINE_ID}/${key}/config`
const DEVICE_TOPIC = `homeassistant/device/slotwire_${MACHINE_ID}/config`
const VALUES = { [METRICS.output.path]: 'high' }
const all = bridgedDevice(undefined, VALUES)
const fewer = bridgedDevice([METRICS.volts])

/** Announces what `device` is at each moment. */
function output(broker: MemoryBroker, style: DiscoveryStyle, device: BridgedDevice = all) {
  const shown = { device }
  const context = {
    broker: broker.open(),
    commands: 'all',
    get device() {
      return shown.device
    },
  } as const
  const made = new HomeAssistantOutput(context, { prefix: 'homeassistant', style, version: '1.2.3' })
  const show = (next: BridgedDevice): void => {
    shown.device = next
    made.onDevice()
  }
  return { made, shown, show, filters: context.broker.filters }
}
const settled = nextTurn
const keysOf = (payload: string | Uint8Array | undefined): readonly string[] =>
  Object.keys((JSON.parse(String(payload)) as { components: object }).components)

it.each([
  ['volts', true, 'sensor', { unit_of_measurement: 'V', device_class: 'voltage', state_class: 'measurement' }],
  ['total', true, 'sensor', { state_class: 'total_increasing', entity_category: 'diagnostic' }],
  ['emergency', true, 'binary_sensor', { payload_on: 'true', payload_off: 'false' }],
  ['level', true, 'binary_sensor', { payload_on: 'high', payload_off: 'low' }],
  ['mode', true, 'sensor', { state_topic: `slotwire/${MACHINE_ID}/io/3/pin/1/mode/state` }],
  ['output', true, 'switch', { payload_on: 'high', command_topic: `slotwire/${MACHINE_ID}/io/3/pin/1/set` }],
  ['output', false, 'binary_sensor', { payload_on: 'high', payload_off: 'low' }],
  ['fan', true, 'select', { options: ['auto', '0', '20'], command_topic: `slotwire/${MACHINE_ID}/io/3/fan/mode/set` }],
  ['fan', false, 'sensor', { device_class: 'enum', options: ['auto', '0', '20'] }],
] as const)('shows %s, with commands: %s, as a %s', (name, hasCommands, component, settings) => {
  const [entity] = entitiesOf(bridgedDevice([METRICS[name]], VALUES), hasCommands)
  expect(entity?.component).toBe(component)
  expect(entity?.settings).toMatchObject(settings)
  if (!hasCommands) expect(entity?.settings).not.toHaveProperty('command_topic')
})

it('shows alerts of a pin as events', () =>
  expect(entitiesOf(all, false).at(-1)).toMatchObject({
    component: 'event',
    settings: {
      event_types: ['high_voltage_alert', 'high_current_alert'],
      state_topic: `slotwire/${MACHINE_ID}/io/3/pin/1/alert`,
    },
  }))

it('shows a pin as a switch only while it is an output', async () => {
  const broker = new MemoryBroker()
  const { made, shown, show } = output(broker, 'components')
  const topic = topicOf('switch', 'io_3_pin_1')
  const seen: boolean[] = []
  for (const values of [{}, VALUES, {}]) {
    show(bridgedDevice(undefined, values))
    shown.device = bridgedDevice(undefined, values)
    made.onValues([{ metric: METRICS.output, value: 'high' }])
    await settled()
    seen.push(broker.retained.has(topic))
  }
  expect(seen).toEqual([false, true, false])
})

it('announces each entity with its device, its origin, and its availability', async () => {
  const broker = new MemoryBroker()
  output(broker, 'components').made.onDevice()
  await settled()
  expect(broker.retained.size).toBe(all.metrics.size + 1)
  expect(JSON.parse(String(broker.retained.get(topicOf('sensor', 'io_3_pin_1_volts'))))).toMatchObject({
    name: 'Slot 3 pin 1 volts',
    unique_id: `slotwire_${MACHINE_ID}_io_3_pin_1_volts`,
    availability: [{ topic: `slotwire/${MACHINE_ID}/status`, value_template: '{{ value_json.state }}' }],
    device: { identifiers: [`slotwire_${MACHINE_ID}`], name: 'Slotwire 01234567', model: 'Slotwire device' },
    origin: { name: 'slotwire', sw_version: '1.2.3' },
  })
})

it('announces a device in one message with its components, as Home Assistant 2024.12 documents it', async () => {
  const broker = new MemoryBroker()
  output(broker, 'device').made.onDevice()
  await settled()
  const message = JSON.parse(String(broker.retained.get(DEVICE_TOPIC))) as Record<string, object>
  expect([...broker.retained.keys()]).toEqual([DEVICE_TOPIC])
  expect(Object.keys(message).sort()).toEqual(['availability', 'components', 'device', 'origin'])
  for (const component of Object.values(message['components'] ?? {}))
    expect(component).toMatchObject({ platform: expect.any(String) as string, unique_id: expect.any(String) as string })
})

it.each(['in this run', 'since an earlier run'] as const)(
  'removes entities that disappeared %s, and what was announced in the other style',
  async (when) => {
    for (const style of ['components', 'device'] as const) {
      const broker = new MemoryBroker()
      broker.retained.set(topicOf('sensor', 'of_the_past'), '{"name":"of the past"}')
      broker.retained.set('homeassistant/sensor/other/x/config', '{"name":"of another program"}')
      const first = output(broker, style)
      first.show(all)
      await settled()
      const last = when === 'in this run' ? first : output(broker, style)
      broker.published.length = 0
      last.show(fewer)
      await settled()
      const expected = style === 'device' ? [DEVICE_TOPIC] : ['io_3_pin_1_volts', 'io_3_pin_1_alert']
      const topics = style === 'device' ? expected : [topicOf('sensor', 'io_3_pin_1_volts'), topicOf('event', 'io_3_pin_1_alert')]
      expect([...broker.retained.keys()].sort()).toEqual([...topics, 'homeassistant/sensor/other/x/config'].sort())
      if (style === 'components') continue
      // First with only its platform, then without it: this removes an entity.
      const messages = broker.published.filter(({ topic }) => topic === DEVICE_TOPIC).map(({ payload }) => payload)
      const removal = messages.findIndex((payload) => String(payload).includes('"io_3_fan_mode":{"platform":"select"}'))
      expect(removal).toBeGreaterThanOrEqual(0)
      expect(keysOf(messages.slice(removal + 1).at(-1))).toEqual(['io_3_pin_1_volts', 'io_3_pin_1_alert'])
    }
  },
)

it('clears the one message of the other style without reading it, and reads no more afterwards', async () => {
  const broker = new MemoryBroker()
  broker.retained.set(DEVICE_TOPIC, '{}')
  const { made, filters } = output(broker, 'components')
  made.onDevice()
  await settled()
  expect([broker.retained.has(DEVICE_TOPIC), [...filters]]).toEqual([false, []])
  const count = broker.published.length
  made.onDevice()
  await settled()
  expect(broker.published.length).toBe(count)
})
