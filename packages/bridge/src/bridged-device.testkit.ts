import type { AlertSource, Metric, MetricData } from './metric.ts'
import type { BridgedDevice } from './output.ts'
import type { PublishedDevice } from './status.ts'

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
  level: named('pin/2/level', { type: 'text', words: ['low', 'high'] }),
  emergency: named('emergency/mode', { type: 'boolean' }),
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
  values: Readonly<Record<string, MetricData>> = {},
): BridgedDevice {
  return {
    id: MACHINE_ID,
    url: 'http://127.0.0.1:8080/',
    modules: [{ slot: 3, service: 'io', type: 'io', product: 'p', serial: 's', firmware: '1.0.0' }],
    metrics: new Map(metrics.map((metric) => [metric.path, { metric, value: values[metric.path] }])),
    alertSources: [alertSource],
  }
}

export const PUBLISHED: PublishedDevice = {
  id: MACHINE_ID,
  url: 'http://127.0.0.1:8080/',
  host: 'host',
  instance: 'ONE',
  commands: 'all',
}
