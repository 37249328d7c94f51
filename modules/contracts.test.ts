import { compileBody, type Endpoint } from '@slotwire/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as contracts from './contracts.ts'
import { checkPwm } from './io/rules.ts'

type Refusal = readonly [body: object, message: string]

/** Refused values of one field: the bodies with them, and the message that names the bounds. */
const outside = (values: readonly number[], name: string, bounds: string, body: (value: number) => object): Refusal[] =>
  values.map((value) => [body(value), `${name} is out of range: ${bounds}, not ${value}`])

const BOOTLOADER = '0…3600000 ms'
const WATCHDOG = '0, or 1000…600000 ms'
const FAN = '0, 20, 40, 60, 80 or 100 %'
const BASE = 'with a pwm base frequency below 1000000 Hz'
const FAST = 'with this prescaler: the pwm frequency, 48 MHz / (prescaler + 1) / period, must be below 1000000 Hz'

const threshold = { pin: 1, threshold_millivolt: 50, trigger: 'rising' }
const interrupt = { pin: 6, debounce_time_milliseconds: 0, trigger: 'pulse' }
const limits = { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }
const pwm = (prescaler: number, time_on: number, period: number) => ({ pin: 1, prescaler, time_on, period })
const pins = (rail: string, current_milliampere: number, count = 6) =>
  Array.from({ length: count }, () => ({ rail, current_milliampere }))
const power = (rail: string, milliampere: number, count?: number) => ({ config: pins(rail, milliampere, count) })
const onBothRails = (rail: string, values: readonly number[]) =>
  outside(values, 'config[0].current_milliampere', '0…300 mA on 5_volt, 0…500 mA on 12_volt', (value) => power(rail, value))
const limit = (name: string, min: number, max: number) =>
  outside([min - 1, max + 1], name, `${min}…${max} mA`, (value) => ({ ...limits, [name]: value }))

/** By hand from the specification and behaviour.md. */
const bodies: Record<string, { accepted: readonly object[]; refused: readonly Refusal[] }> = {
  'bmc/buzzer': {
    accepted: [...[0, 1, 2, 3, 4, 5].map((mode) => ({ mode, duration: 1 })), { mode: 2, duration: 1000 }],
    refused: [
      ...outside([0, 1001, -1], 'duration', '1…1000 ms', (duration) => ({ mode: 2, duration })),
      ...outside([-1, 6], 'mode', '0…5', (mode) => ({ mode, duration: 1 })),
      [{ mode: 0 }, 'duration is missing: an integer from 1 to 1000 ms'],
    ],
  },
  'bmc/watchdog': {
    accepted: [0, 1000, 600_000].map((timeout) => ({ timeout })),
    refused: [
      ...outside([1, 500, 999, -1, 600_001, Infinity], 'timeout', WATCHDOG, (timeout) => ({ timeout })),
      [{ timeout: null }, `timeout must be an integer, not null: ${WATCHDOG}`],
      [{ timeout: 0.5 }, `timeout must be a whole number: ${WATCHDOG}, not 0.5`],
      [{}, `timeout is missing: an integer (${WATCHDOG})`],
    ],
  },
  'bmc/watchdog/sw_shutdown_timeout': {
    accepted: [10_000, 600_000].map((timeout) => ({ timeout })),
    refused: outside([0, 9999, 600_001], 'timeout', '10000…600000 ms', (timeout) => ({ timeout })),
  },
  'bmc/watchdog/shutdown': {
    accepted: [{ shutdown: 'start' }],
    refused: [[{ shutdown: 'stop' }, 'shutdown is not allowed: it must be start, not "stop"']],
  },
  'bmc/usb_bootloader': {
    accepted: [
      ...[true, false].flatMap((enabled) => [0, 3_600_000].map((timeout) => ({ enabled, timeout }))),
      { enabled: false },
    ],
    refused: [
      ...outside([-1, 3_600_001, 1e300], 'timeout', BOOTLOADER, (timeout) => ({ enabled: true, timeout })),
      ...outside([-1, 3_600_001, 1e300], 'timeout', BOOTLOADER, (timeout) => ({ enabled: false, timeout })),
      [{ enabled: true, timeout: null }, `timeout must be an integer, not null: ${BOOTLOADER}`],
      [{ enabled: true }, 'timeout is missing: an integer from 0 to 3600000 ms, needed when enabled is true'],
    ],
  },
  ...Object.fromEntries(
    ['bmc/usbhub/reset', 'bmc/hard_reset'].map((path) => [
      path,
      {
        accepted: [{ reset: 'yes' }],
        refused: [
          [{ reset: 'no' }, 'reset is not allowed: it must be yes, not "no"'],
          [{ reset: true }, 'reset must be a string, not a boolean: it must be yes'],
        ],
      },
    ]),
  ),
  'io/input/analog/threshold': {
    accepted: [threshold, { ...threshold, threshold_millivolt: 25_000 }],
    refused: [
      ...outside([49, 25_001], 'threshold_millivolt', '50…25000 mV', (value) => ({ ...threshold, threshold_millivolt: value })),
      ...outside([0, 7], 'pin', '1…6', (pin) => ({ ...threshold, pin })),
      [{ ...threshold, trigger: 'pulse' }, 'trigger is not allowed: disabled, rising or falling, not "pulse"'],
    ],
  },
  'io/input/digital/interrupt': {
    accepted: [interrupt, { ...interrupt, debounce_time_milliseconds: 1000 }],
    refused: outside([1001], 'debounce_time_milliseconds', '0…1000 ms', (value) => ({
      ...interrupt,
      debounce_time_milliseconds: value,
    })),
  },
  'io/power-management': {
    accepted: [power('5_volt', 0), power('5_volt', 300), power('12_volt', 0), power('12_volt', 301), power('12_volt', 500)],
    refused: [
      [
        { config: [...pins('12_volt', 500, 5), ...pins('5_volt', 301, 1)] },
        'config[5].current_milliampere is out of range: 0…300 mA, not 301, when rail is 5_volt',
      ],
      ...onBothRails('12_volt', [501]),
      ...onBothRails('5_volt', [-1, 501]),
      [power('9_volt', 10), 'config[0].rail is not allowed: 5_volt or 12_volt, not "9_volt"; did you mean 5_volt?'],
      ...[0, 5, 7].map((count): Refusal => [power('5_volt', 0, count), 'config must have 6 items: one per pin']),
    ],
  },
  'io/output/pwm': {
    accepted: [
      pwm(65_535, 0, 2),
      pwm(0, 65_535, 65_536),
      pwm(0, 99, 100),
      pwm(0, 1, 49),
      pwm(47, 0, 2),
      pwm(23, 0, 3),
      pwm(24, 0, 2),
    ],
    refused: [
      ...outside([65_536], 'prescaler', `0…65535, ${BASE}`, (prescaler) => pwm(prescaler, 0, 2)),
      ...outside([1, 65_537], 'period', `2…65536 ticks, ${BASE}`, (period) => pwm(0, 0, period)),
      ...outside([-1, 65_536], 'time_on', '0…65535 ticks, less than period', (timeOn) => pwm(0, timeOn, 100)),
      [pwm(0, 100, 100), 'time_on is out of range: 0…99 ticks, not 100: less than period'],
      [pwm(0, 1, 48), `period is out of range: 49…65536 ticks, not 48, ${FAST}`],
      [pwm(15, 0, 3), `period is out of range: 4…65536 ticks, not 3, ${FAST}`],
      [pwm(23, 0, 2), `period is out of range: 3…65536 ticks, not 2, ${FAST}`],
    ],
  },
  'power/limits': {
    accepted: [
      { limit_3v3: 1001, limit_5v0: 1001, limit_12v: 101 },
      { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 },
    ],
    refused: [...limit('limit_3v3', 1001, 5949), ...limit('limit_5v0', 1001, 4949), ...limit('limit_12v', 101, 2399)],
  },
  'power/fan': {
    accepted: [...[0, 20, 40, 60, 80, 100].map((mode) => ({ fan_forced: true, fan_mode: mode })), { fan_forced: false }],
    refused: [
      ...[10, 101, -20].flatMap((fan_mode) =>
        [true, false].map(
          (fan_forced): Refusal => [{ fan_forced, fan_mode }, `fan_mode is not allowed: ${FAN}, not ${fan_mode}`],
        ),
      ),
      [{ fan_forced: true }, `fan_mode is missing: ${FAN}, needed when fan_forced is true`],
      [{ fan_forced: 'true', fan_mode: 20 }, 'fan_forced must be true or false, not "true"'],
    ],
  },
  'power/fan/rpm': {
    accepted: [{ measurement_enabled: false }],
    refused: [[{ measurementEnabled: true }, 'measurementEnabled is unknown: did you mean measurement_enabled?']],
  },
}

/** The refusal of a body at a path such as `io/output/pwm`. */
function refusalAt(path: string, body: object): string | undefined {
  const endpoints = Object.values(contracts).flatMap(({ service, endpoints: all }) =>
    Object.values<Endpoint>(all).map((endpoint) => ({ endpoint, name: `${endpoint.method} ${service}${endpoint.path}` })),
  )
  const { endpoint } = endpoints.find(({ name }) => name === `POST ${path}`) ?? {}
  if (endpoint === undefined) throw new Error(`no POST ${path}`)
  return compileBody(endpoint)(body)
}

it.each(Object.entries(bodies).flatMap(([path, { accepted }]) => accepted.map((body) => [path, body] as const)))(
  'accepts at POST %s the body %j',
  (path, body) => {
    expect(refusalAt(path, body)).toBeUndefined()
  },
)

it.each(
  Object.entries(bodies).flatMap(([path, { refused }]) => refused.map(([body, message]) => [path, body, message] as const)),
)('refuses at POST %s the body %j: %s', (path, body, message) => {
  expect(refusalAt(path, body)).toBe(message)
})

it('computes the frequency of a pwm exactly', () => {
  const below = (prescaler: number, ticks: number) => 48_000_000n < 1_000_000n * BigInt(prescaler + 1) * BigInt(ticks)
  const prescalers = fc.oneof(fc.nat(60), fc.nat(65_535))
  const periods = fc.oneof(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 2, max: 65_536 }))
  const isExact = (prescaler: number, period: number) =>
    (checkPwm({ prescaler, time_on: 0, period }) === undefined) === below(prescaler, period)
  fc.assert(fc.property(prescalers, periods, isExact))
})

it('numbers pins from 1 to 6 and USB slots from 0 to 7: the module refuses slots without USB', () => {
  expect(contracts.io.endpoints.getNotification.parameters.pin).toMatchObject({ min: 1, max: 6 })
  expect(contracts.bmc.endpoints.setUsbSlot.parameters.number).toMatchObject({ min: 0, max: 7 })
})
