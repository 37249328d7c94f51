import type { Contract, Endpoint } from '@slotwire/contract'
import { boolean, decimal, listOf, objectOf, reads, writes } from '@slotwire/contract'
import { thermometerErrors } from './errors.ts'
import { CHANNEL_COUNT, thermometerLimits } from './limits.ts'

const channel = { ...thermometerLimits.channel, description: 'number of the channel', example: 2 }
const limit = decimal({ ...thermometerLimits.celsius, unit: '°C', description: 'temperature that raises the alert' })

const getTemperatures = {
  ...reads,
  path: '/temperatures',
  reply: objectOf({ celsius: listOf(decimal({ unit: '°C' }), { count: CHANNEL_COUNT, onePer: 'channel' }) }),
  caching: 'one-second',
  summary: 'Reads the temperature of every channel',
  spec: 'none: an example',
} as const satisfies Endpoint

const getLimit = {
  ...reads,
  path: '/limit/{channel}',
  parameters: { channel },
  reply: objectOf({ celsius: limit }),
  summary: 'Reads the limit of a channel',
  spec: 'none: an example',
} as const satisfies Endpoint

const setLimit = {
  ...writes,
  path: '/limit/{channel}',
  parameters: { channel },
  body: objectOf({ celsius: limit }),
  errors: [thermometerErrors.limitTooLow],
  summary: 'Sets the limit of a channel',
  spec: 'none: an example',
  example: { celsius: 60.5 },
} as const satisfies Endpoint

const getNotification = {
  ...reads,
  path: '/notification/{channel}',
  parameters: { channel },
  reply: objectOf({
    high_temperature_alert: boolean({ description: 'the channel became warmer than its limit' }),
    self_test_alert: boolean({ description: 'the test button was pressed' }),
  }),
  effect: 'deliver',
  summary: 'Returns and clears the alerts of a channel',
  spec: 'none: an example',
} as const satisfies Endpoint

/** A thermometer with four channels. */
export const thermometerContract = {
  service: 'thermometer',
  serviceName: 'thermometer-module',
  port: 8004,
  title: 'Thermometer',
  description: 'Four channels with a limit each.',
  defaultSlots: [6],
  endpoints: { getTemperatures, getLimit, setLimit, getNotification },
} as const satisfies Contract
