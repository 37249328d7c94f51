import { type CheckStep, collect, type Effect } from '../check.ts'
import type { JsonFields, TestedDevice } from '../device.ts'
import { hasShape, type Shape } from '../expect.ts'
import { all, counters, done, fanModes, mode, ofRails, shown, supplied } from './steps.ts'

// What each endpoint answers or takes, by its fields: a row each, and the checks that follow from it.
const { list, section, add, read } = collect()
const entries = Object.entries
const idOf = (method: string, path: string) => `${method}/${path.replace('drive:', 'io:').replace(':', '/')}`

const serviceOf = (path: string) => path.replace('drive:', 'io:').replace(/:.*/, '') as 'io' | 'bmc' | 'power'
const resources = { io: 'IO module resources', bmc: 'BMC resources', power: 'Power module resources' }
const services = { io: 'IO service', bmc: 'BMC service', power: 'Power service' }

/** A GET, with what it says and the shape of its answer. */
function get(path: string, text: string, shape: Shape): void {
  section(resources[serviceOf(path)])(idOf('get', path), text)
  const does = `GET ${path} has ${Object.keys(shape).join(', ')}, each of its type`
  read('fields', does, async (device) => hasShape(await device.read(path), shape))
}
const ofPins = (...types: readonly string[]): Shape => ({ pins: { each: { pin: 'uint', pin_type: types, value: 'uint' } } })
const hubStates = ['enabled', 'disabled', 'not available']
const ports = Array.from({ length: 8 }, (_, slot) => [`port_slot_${slot}`, hubStates] as const)
const texts = all('text', 'manufacturer', 'product', 'serial_code', 'system_path')
const usb = { devices: { each: { ...all('uint', 'slot', 'usb_port'), ...texts } } }
const pinTypes = ofPins('voltage_millivolt', 'digital_input', 'frequency_hertz')

get('io:input/values', 'Each pin has a pin_type that says what its value is', pinTypes)
get('io:input/values/current', 'Each pin has a current in mA', ofPins('current_milliampere'))
get('bmc:voltage', 'Voltage has the rails 1V8 and RTC in mV', all('uint', 'voltage_1v8', 'voltage_rtc'))
get('bmc:temperature', 'Temperature has ntc_0 and ntc_1 in degrees Celsius', { ntc_0: 'float', ntc_1: 'float' })
const times = all('uint', 'timeout', 'timeout_left', 'shutdown_timeout')
get('bmc:watchdog', 'The watchdog has two timeouts, the time left and emergency_mode', { ...times, emergency_mode: 'bool' })
get('bmc:usbhub', 'The hub has a state, and one for each slot', { hub_state: hubStates, ...Object.fromEntries(ports) })
get('bmc:usbhub/devices', 'A USB device has slot, port, manufacturer, product, serial code and path', usb)
const factors = ofRails('source', 'efficiency_factor')
get('power:source', 'Source has the power of each rail and in all, and efficiency factors', { ...factors, source_total: 'uint' })
get('power:protectionlog', 'The protection log has all counters', all('uint', 'opp_protection_cnt', ...counters))
get('power:stats', 'Stats has voltage, current and limit of each rail', ofRails('voltage', 'current', 'limit'))
get('power:temperature', 'Temperature has the board and the controller', { on_board_temp: 'float', pmc_temp: 'float' })
const fan: Shape = { fan_forced: 'bool', fan_current_mode: fanModes, fan_setting_mode: fanModes }
get('power:fan', 'Fan has fan_forced and two modes in percent', fan)
get('power:fan/rpm', 'Fan speed has enabled and rpm', { enabled: 'bool', rpm: 'uint' })

/**
 * Of a field: what must succeed, and what must be refused; `ending`, too, but a device that takes that restarts or fails. The last inside is
 * what the checks of the other fields send.
 */
type Values = readonly [inside: readonly unknown[], beyond?: readonly unknown[], ending?: readonly unknown[]]
const values = (...lists: Values): Values => lists
function wrongTypes(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [String(value), null, value + 0.5, true, [value]]
  if (typeof value === 'boolean') return [String(value), null, Number(value), {}]
  return typeof value === 'string' ? [5, null, true, [value]] : [null, {}, 'x', 5]
}
const having = (body: JsonFields, field: string, choices: readonly unknown[]) =>
  choices.map((value) => ({ ...body, [field]: value }))
const without = (body: JsonFields) => [{}, ...entries(body).flatMap(([field]) => having(body, field, [undefined]))]
const mistyped = (body: JsonFields) => entries(body).flatMap(([field, value]) => having(body, field, wrongTypes(value)))
const inCapitals = (body: JsonFields) =>
  entries(body).flatMap(([field, value]) => having({ ...body, [field.toUpperCase()]: value }, field, [undefined]))
const listed = (choices: readonly unknown[]) =>
  choices.some((one) => typeof one === 'object') ? 'of another form' : choices.map(shown).join(', ')

const answered: (() => void)[] = []
/** A POST, with what it takes. `drive:` stands for the driven pin, which the body gets. */
function post(
  effect: Effect,
  path: string,
  takes: string,
  fields: Readonly<Record<string, Values>>,
  ...first: readonly CheckStep[]
): void {
  section(services[serviceOf(path)])(idOf('post', path), `POST ${path.replace(/.*:/, '')} takes ${takes}`)
  const bodyOf = (device: TestedDevice): JsonFields => {
    const body = Object.fromEntries(entries(fields).map(([name, [inside]]) => [name, inside.at(-1)]))
    return path.startsWith('drive:') ? { ...body, pin: device.wired('drive').pin } : body
  }
  const each = (of: Effect, id: string, does: string, isTaken: boolean, bodies: (body: JsonFields) => readonly JsonFields[]) =>
    add[of](id, `POST ${path} ${does}`, ...first, async (device) => {
      // A pin is like a part of the path.
      const statuses = id === 'pin-beyond' ? [400, 404, 422] : undefined
      for (const body of bodies(bodyOf(device))) await (isTaken ? done(path, body)(device) : device.refuses(path, body, statuses))
    })
  each(effect, 'missing', 'without each of its fields is refused', false, without)
  each(effect, 'type', 'with a value of another type is refused, for each field', false, mistyped)
  each(effect, 'case', 'with a name in capitals is refused, for each field', false, inCapitals)
  for (const [field, [inside, beyond = [], ending = []]] of entries(fields)) {
    const of = (choices: readonly unknown[]) => (body: JsonFields) => having(body, field, choices)
    if (inside.length > 1) each(effect, `${field}-inside`, `with ${field} ${listed(inside)} succeeds`, true, of(inside))
    if (beyond.length > 0) each(effect, `${field}-beyond`, `with ${field} ${listed(beyond)} is refused`, false, of(beyond))
    if (ending.length > 0) each('disruptive', `${field}-below`, `with ${field} ${listed(ending)} is refused`, false, of(ending))
  }
  // The others restart the device, or have an answer of their own.
  if (effect !== 'disruptive' && path !== 'io:power-management')
    answered.push(() => each(effect, idOf('post', path), 'answers {"status":"success"}', true, (body) => [body]))
}
const yes = { reset: values(['yes'], ['no', 'Yes', '', 'yes ']) }
const boolean = values([false, true])
const pin = values([6], [0, 7])
const driven = values([], [0, 7])
const items = (count: number) => Array.from({ length: count }, () => ({ rail: '5_volt', current_milliampere: 0 }))
const wrongItems = [
  ...['5_Volt', '3_volt', 5, undefined].map((rail) => ({ rail, current_milliampere: 0 })),
  ...[-1, '1', undefined].map((current_milliampere) => ({ rail: '5_volt', current_milliampere })),
]
const wrongLists = [[], items(5), items(7), ...wrongItems.map((item) => [...items(5), item])]

post('write', 'io:reset', 'the word yes alone', yes)
const words = values(['digital', 'analog'], ['output', 'pwm', 'Analog', ''])
post('write', 'io:input/mode', 'a pin from 1 to 6, and the mode analog or digital', {
  pin: values([1, 2, 3, 4, 5, 6], [0, 7, -1]),
  mode: words,
})
const threshold = { threshold_millivolt: values([50, 25_000, 1000], [49, 25_001, 0, -50]) }
const above = { pin, ...threshold, trigger: values(['falling', 'disabled', 'rising'], ['pulse', 'Rising', '']) }
post('write', 'io:input/analog/threshold', 'a pin, 50 to 25000 mV, and a trigger', above, mode('analog'))
const debounce = { debounce_time_milliseconds: values([0, 1000, 20], [-1, 1001]) }
const edge = { pin, ...debounce, trigger: values(['rising', 'falling', 'disabled', 'pulse'], ['both', 'Pulse', '']) }
post('write', 'io:input/digital/interrupt', 'a pin, a debounce time of 0 to 1000 ms, and a trigger', edge, mode('digital'))
const states = values(['disabled', 'enabled'], ['on', 'Enabled', ''])
post('write', 'io:input/digital/counter', 'a pin, and the state enabled or disabled', { pin, state: states }, mode('digital'))
post('write', 'io:power-management', 'six items of a rail, 5_volt or 12_volt, and a current', {
  config: values([items(6)], wrongLists),
})
const levels = values(['high', 'low'], ['on', 'High', ''])
post('wired', 'drive:output/state', 'a pin, and the state high or low', { pin: driven, state: levels }, supplied)
const pulse = { prescaler: values([47]), period: values([1000]), time_on: values([0, 1, 999, 250], [1000, 1001, -1]) }
post('wired', 'drive:output/pwm', 'a pin, prescaler, period, and a time_on below the period', { pin: driven, ...pulse }, supplied)
const sound = { mode: values([0, 1, 3, 4, 5, 2], [-1, 6]), duration: values([1000, 1]) }
post('write', 'bmc:buzzer', 'a mode from 0 to 5, and a duration from 1 to 1000 ms', sound)
post('write', 'bmc:watchdog', 'a timeout of 0, or 1000 to 600000 ms', { timeout: values([600_000, 0], [600_001, -1], [1, 999]) })
const shutdown = { timeout: values([10_000, 600_000, 60_000], [9999, 600_001, 0]) }
post('bench', 'bmc:watchdog/sw_shutdown_timeout', 'a timeout of 10000 to 600000 ms', shutdown)
post('disruptive', 'bmc:watchdog/shutdown', 'the word start alone', { shutdown: values(['start'], ['stop', 'Start', 'yes', '']) })
for (const path of ['bmc:hard_reset', 'bmc:usbhub/reset']) post('disruptive', path, 'the word yes alone', yes)
for (const path of ['bmc:usbhub', 'bmc:usbhub/slot/4']) post('bench', path, 'a state', { state: values([true]) })
const bootloader = { enabled: boolean, timeout: values([3_600_000, 0], [3_600_001, -1]) }
post('bench', 'bmc:usb_bootloader', 'enabled, and a timeout of 0 to 3600000 ms', bootloader)
const limit = (low: number, high: number) => values([high - 950, high - 1], [high, -1], [low, 0])
const limits = { limit_3v3: limit(1000, 5950), limit_5v0: limit(1000, 4950), limit_12v: limit(100, 2400) }
post('write', 'power:limits', 'a limit for each rail, above 1000, 1000 and 100, below 5950, 4950 and 2400', limits)
const speed = { fan_forced: boolean, fan_mode: values([20, 40, 60, 80, 100, 0], [-20, 1, 19, 21, 50, 99, 101, 120]) }
post('write', 'power:fan', 'fan_forced, and a mode of 0, 20, 40, 60, 80 or 100 percent', speed)
post('write', 'power:fan/rpm', 'measurement_enabled', { measurement_enabled: boolean })

section('Generic success body')('ok', 'Writes answer {"status":"success"} unless another body is listed')
for (const judge of answered) judge()

export const endpointSentences = list
