import { accepts, denies, field, GET, post, type Row } from './fault.testkit.ts'

const checksOf = (method: string, path: string) => `${method}/${path.replace(':', '/')}/*`

/** A field of a read is missing, or of another type. */
const missing: readonly Row[] = (
  [
    ['bmc:voltage', ['voltage_1v8', 'voltage_rtc']],
    ['bmc:temperature', ['ntc_0', 'ntc_1']],
    ['bmc:watchdog', ['emergency_mode']],
    ['bmc:usbhub', ['port_slot_0', 'port_slot_7']],
    ['power:source', ['source_3v3', 'efficiency_factor_12v']],
    ['power:stats', ['current_12v']],
    ['power:temperature', ['on_board_temp', 'pmc_temp']],
    ['power:fan/rpm', ['rpm']],
  ] as const
).flatMap(([path, fields]) =>
  fields.map(
    (name): Row => [
      `${path} without ${name}`,
      [checksOf('get', path), 'efficiency/*', 'rpm-maximum/full'],
      field(GET + path, name, undefined),
    ],
  ),
)

/** A value beyond its bounds is accepted. */
const tooMuch: readonly Row[] = (
  [
    ['bmc:buzzer', 'mode', 6],
    ['bmc:buzzer', 'mode', -1],
    ['bmc:buzzer', 'duration', 0],
    ['bmc:buzzer', 'duration', 1001],
    ['bmc:watchdog', 'timeout', 999],
    ['bmc:watchdog', 'timeout', 600_001],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 9999],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 600_001],
    ['bmc:usb_bootloader', 'timeout', 3_600_001],
    ['bmc:watchdog/shutdown', 'shutdown', 'yes'],
    ['bmc:hard_reset', 'reset', 'no'],
    ['io:reset', 'reset', 'Yes'],
    ['power:limits', 'limit_3v3', 5950],
    ['power:limits', 'limit_3v3', 1000],
    ['power:limits', 'limit_5v0', 4950],
    ['power:limits', 'limit_5v0', 1000],
    ['power:limits', 'limit_12v', 2400],
    ['power:limits', 'limit_12v', 100],
    ['power:fan', 'fan_mode', 50],
    ['power:fan', 'fan_mode', 101],
    ['io:input/mode', 'mode', 'output'],
    ['io:input/mode', 'mode', 'Analog'],
    ['io:input/mode', 'pin', 0],
    ['io:input/mode', 'pin', 7],
    ['io:input/analog/threshold', 'threshold_millivolt', 49],
    ['io:input/analog/threshold', 'threshold_millivolt', 25_001],
    ['io:input/analog/threshold', 'trigger', 'pulse'],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', 1001],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', -1],
    ['io:input/digital/interrupt', 'trigger', 'both'],
    ['io:input/digital/counter', 'state', 'on'],
    ['io:input/digital/counter', 'pin', 7],
    ['io:output/state', 'state', 'on'],
    ['io:output/state', 'pin', 7],
    ['io:output/pwm', 'time_on', 1000],
    ['io:output/pwm', 'pin', 0],
  ] as const
).map(
  ([path, name, value]): Row => [
    `${path} accepts ${name} ${value}`,
    [checksOf('post', path), ...(name === 'duration' ? ['buzzer-error/*'] : [])],
    accepts(post(path, (json) => json[name] === value)),
  ],
)

/** A value within its bounds is refused. */
const tooLittle: readonly Row[] = (
  [
    ['bmc:buzzer', 'mode', 5],
    ['bmc:buzzer', 'duration', 1000],
    ['bmc:watchdog', 'timeout', 600_000],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 10_000],
    ['bmc:usb_bootloader', 'timeout', 3_600_000],
    ['power:limits', 'limit_12v', 101, 'limits-lowest/*'],
    ['io:input/analog/threshold', 'threshold_millivolt', 50],
    ['io:input/analog/threshold', 'threshold_millivolt', 25_000],
    [
      'io:input/digital/interrupt',
      'debounce_time_milliseconds',
      0,
      'interrupt-events/*',
      'stored-once/*',
      'custom-stays/*',
      'flags/*',
    ],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', 1000, 'debounce/*'],
    ['io:input/digital/interrupt', 'trigger', 'pulse', 'interrupt-events/*', 'ok/*'],
    ['power:fan', 'fan_mode', 20],
    ['io:output/pwm', 'time_on', 999],
    ['io:output/pwm', 'period', 49, 'pwm-frequency/*'],
    ['io:output/pwm', 'prescaler', 48, 'pwm-frequency/*'],
  ] as const
).map(
  ([path, name, value, ...others]): Row => [
    `${path} refuses ${name} ${value}`,
    [checksOf('post', path), ...others],
    denies(post(path, (json) => json[name] === value)),
  ],
)

/** Each body: a missing field, another type, a name in capitals. */
const bodies: readonly Row[] = (
  [
    ['io:reset', 'reset'],
    ['io:input/mode', 'mode'],
    ['io:input/analog/threshold', 'trigger'],
    ['io:input/digital/interrupt', 'trigger'],
    ['io:input/digital/counter', 'state'],
    ['io:power-management', 'config'],
    ['io:output/state', 'state'],
    ['io:output/pwm', 'period'],
    ['bmc:buzzer', 'mode'],
    ['bmc:watchdog', 'timeout'],
    ['power:limits', 'limit_3v3'],
    ['power:fan', 'fan_forced'],
    ['power:fan/rpm', 'measurement_enabled'],
    ['bmc:usbhub', 'state'],
    ['bmc:usbhub/slot/4', 'state'],
    ['bmc:usbhub/reset', 'reset'],
  ] as const
).flatMap(([path, name]): Row[] => [
  [
    `${path} accepts a body without ${name}`,
    [checksOf('post', path), 'json/*', 'error-body/*'],
    accepts(post(path, (json) => json[name] === undefined)),
  ],
  [`${path} accepts null as ${name}`, [checksOf('post', path)], accepts(post(path, (json) => json[name] === null))],
])

export const bodyFaults: readonly Row[] = [...missing, ...tooMuch, ...tooLittle, ...bodies]
