import { accepts, denies, field, GET, post, type Row } from './fault.testkit.ts'

/** A field of a read is missing, or of another type. */
const missing: readonly Row[] = (
  [
    ['bmc-voltage/fields', 'bmc:voltage', ['voltage_1v8', 'voltage_rtc']],
    ['bmc-temperature/fields', 'bmc:temperature', ['ntc_0', 'ntc_1']],
    ['bmc-watchdog/fields', 'bmc:watchdog', ['emergency_mode']],
    ['usb-hub/fields', 'bmc:usbhub', ['port_slot_0', 'port_slot_7']],
    ['power-source/*', 'power:source', ['source_3v3', 'efficiency_factor_12v']],
    ['power-stats/fields', 'power:stats', ['current_12v']],
    ['power-temperature/fields', 'power:temperature', ['on_board_temp', 'pmc_temp']],
    ['rpm-fields/fields', 'power:fan/rpm', ['rpm']],
  ] as const
).flatMap(([check, path, fields]) =>
  fields.map(
    (name): Row => [
      `${path} without ${name}`,
      [check, 'usb-reset/*', 'lowest', 'rpm-maximum/full', 'limits-bounds/lowest'],
      field(GET + path, name, undefined),
    ],
  ),
)

/** A value beyond its bounds is accepted. */
const tooMuch: readonly Row[] = (
  [
    ['bmc:buzzer', 'mode', 6, 'buzzer-mode/*'],
    ['bmc:buzzer', 'mode', -1, 'buzzer-mode/*'],
    ['bmc:buzzer', 'duration', 0, 'buzzer-error/*'],
    ['bmc:buzzer', 'duration', 1001, 'buzzer-error/*'],
    ['bmc:watchdog', 'timeout', 999, 'watchdog-timeout/*'],
    ['bmc:watchdog', 'timeout', 600_001, 'watchdog-timeout/*'],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 9999, 'shutdown-timeout/*'],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 600_001, 'shutdown-timeout/*'],
    ['bmc:usb_bootloader', 'timeout', 3_600_001, 'bootloader/*'],
    ['bmc:watchdog/shutdown', 'shutdown', 'yes', 'shutdown-body/*'],
    ['bmc:hard_reset', 'reset', 'no', 'hard-reset-body/*'],
    ['io:reset', 'reset', 'Yes', 'reset/*'],
    ['power:limits', 'limit_3v3', 5950, 'limits-bounds/*'],
    ['power:limits', 'limit_3v3', 1000, 'limits-bounds/*'],
    ['power:limits', 'limit_5v0', 4950, 'limits-bounds/*'],
    ['power:limits', 'limit_5v0', 1000, 'limits-bounds/*'],
    ['power:limits', 'limit_12v', 2400, 'limits-bounds/*'],
    ['power:limits', 'limit_12v', 100, 'limits-bounds/*'],
    ['power:fan', 'fan_mode', 50, 'fan-modes/*'],
    ['power:fan', 'fan_mode', 101, 'fan-modes/*'],
    ['io:input/mode', 'mode', 'output', 'mode-body/*'],
    ['io:input/mode', 'mode', 'Analog', 'mode-body/*'],
    ['io:input/mode', 'pin', 0, 'pin-numbers/input/mode*'],
    ['io:input/mode', 'pin', 7, 'pin-numbers/input/mode*'],
    ['io:input/analog/threshold', 'threshold_millivolt', 49, 'threshold-bounds/*'],
    ['io:input/analog/threshold', 'threshold_millivolt', 25_001, 'threshold-bounds/*'],
    ['io:input/analog/threshold', 'trigger', 'pulse', 'threshold-body/*'],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', 1001, 'debounce-bounds/*'],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', -1, 'debounce-bounds/*'],
    ['io:input/digital/interrupt', 'trigger', 'both', 'interrupt-body/*'],
    ['io:input/digital/counter', 'state', 'on', 'counter-body/*'],
    ['io:input/digital/counter', 'pin', 7, 'pin-numbers/input/digital/counter*'],
    ['io:output/state', 'state', 'on', 'output-body/*'],
    ['io:output/state', 'pin', 7, 'pin-numbers/output/state*'],
    ['io:output/pwm', 'time_on', 1000, 'pwm-time-on/*'],
    ['io:output/pwm', 'pin', 0, 'pin-numbers/output/pwm*'],
  ] as const
).map(
  ([path, name, value, check]): Row => [
    `${path} accepts ${name} ${value}`,
    [check],
    accepts(post(path, (json) => json[name] === value)),
  ],
)

/** A value within its bounds is refused. */
const tooLittle: readonly Row[] = (
  [
    ['bmc:buzzer', 'mode', 5, 'buzzer-mode/*'],
    ['bmc:buzzer', 'duration', 1000, 'buzzer-duration/*'],
    ['bmc:watchdog', 'timeout', 600_000, 'watchdog-timeout/*'],
    ['bmc:watchdog/sw_shutdown_timeout', 'timeout', 10_000, 'shutdown-timeout/*'],
    ['bmc:usb_bootloader', 'timeout', 3_600_000, 'bootloader/*'],
    ['power:limits', 'limit_12v', 101, 'limits-bounds/*'],
    ['io:input/analog/threshold', 'threshold_millivolt', 50, 'threshold-bounds/*'],
    ['io:input/analog/threshold', 'threshold_millivolt', 25_000, 'threshold-bounds/*'],
    [
      'io:input/digital/interrupt',
      'debounce_time_milliseconds',
      0,
      ['debounce-bounds/*', 'interrupt-events/*', 'stored-once/*', 'custom-stays/*', 'flags/*'],
    ],
    ['io:input/digital/interrupt', 'debounce_time_milliseconds', 1000, 'debounce*'],
    ['io:input/digital/interrupt', 'trigger', 'pulse', ['interrupt-*', 'debounce-bounds/*']],
    ['power:fan', 'fan_mode', 20, 'fan-modes/*'],
    ['io:output/pwm', 'time_on', 999, 'pwm-time-on/*'],
    ['io:output/pwm', 'period', 49, 'pwm-frequency/*'],
    ['io:output/pwm', 'prescaler', 48, 'pwm-frequency/*'],
  ] as const
).map(
  ([path, name, value, check]): Row => [
    `${path} refuses ${name} ${value}`,
    [check].flat(),
    denies(post(path, (json) => json[name] === value)),
  ],
)

/** Each body: a missing field, another type, a name in capitals. */
const bodies: readonly Row[] = (
  [
    ['io:reset', 'reset', 'reset/*'],
    ['io:input/mode', 'mode', 'mode-body/*'],
    ['io:input/analog/threshold', 'trigger', 'threshold-body/*'],
    ['io:input/digital/interrupt', 'trigger', 'interrupt-body/*'],
    ['io:input/digital/counter', 'state', 'counter-body/*'],
    ['io:power-management', 'config', 'power-body/*'],
    ['io:output/state', 'state', 'output-body/*'],
    ['io:output/pwm', 'period', 'pwm-body/*'],
    ['bmc:buzzer', 'mode', 'buzzer-body/*'],
    ['bmc:watchdog', 'timeout', 'watchdog-body/*'],
    ['power:limits', 'limit_3v3', 'limits-body/*'],
    ['power:fan', 'fan_forced', 'fan-body/*'],
    ['power:fan/rpm', 'measurement_enabled', 'rpm-body/*'],
    ['bmc:usbhub', 'state', 'usb-applied/usbhub-*'],
    ['bmc:usbhub/slot/4', 'state', 'usb-applied/usbhub/slot*'],
    ['bmc:usbhub/reset', 'reset', 'usb-reset/*'],
  ] as const
).flatMap(([path, name, check]): Row[] => [
  [
    `${path} accepts a body without ${name}`,
    [check, 'names/reset', 'json/no-json', 'error-body/body'],
    accepts(post(path, (json) => json[name] === undefined)),
  ],
  [`${path} accepts null as ${name}`, [check], accepts(post(path, (json) => json[name] === null))],
])

export const bodyFaults: readonly Row[] = [...missing, ...tooMuch, ...tooLittle, ...bodies]
