import { collect, type Step, step } from '../check.ts'
import { equal, hasShape, type Shape, that } from '../expect.ts'
import { type Endpoint, fieldChecks, has, RESET, refuse, set } from './steps.ts'

const { list, section, add, read, write, wired } = collect()
const { body, inside, beyond } = fieldChecks(add)
const resources = section('IO module resources')
const io = section('IO service')
const modes = section('IO pin modes')
const inputs = ['input/values', 'input/values/current'] as const
const pinTypes = ['voltage_millivolt', 'digital_input', 'frequency_hertz'] as const

/** The same supply for all six pins. */
export const supply = (rail: '5_volt' | '12_volt', current_milliampere: number) => ({
  config: Array.from({ length: 6 }, () => ({ rail, current_milliampere })),
})
export const mode = (name: 'analog' | 'digital', pin = 6) => set('io:input/mode', { pin, mode: name })
/** Gives the wired pins power. */
export const supplied = step('the wired pins have power', async (device) => {
  for (const path of ['drive', 'watch']) await device.post(`${path}:power-management`, supply('5_volt', 20))
})
const reset = set('io:reset', RESET)
const counting = (state: 'enabled' | 'disabled') => set('io:input/digital/counter', { pin: 6, state })
const typed = (expected: (typeof pinTypes)[number], pin = 6) =>
  step(`pin ${pin} shows ${expected}`, async (device) =>
    equal((await device.pin({ base: device.base('io'), pin }))['pin_type'], expected, `pin_type of pin ${pin}`),
  )
const ofPins = (path: string, shape: Shape) => has(`io:${path}`, { pins: { each: shape } })
const atPin = (path: string, fields: object, first: Step): Endpoint => ({
  effect: 'write',
  path: `io:input/${path}`,
  body: { pin: 6, ...fields },
  first,
})
const digital = mode('digital')
const pinMode: Endpoint = { effect: 'write', path: 'io:input/mode', body: { pin: 6, mode: 'digital' } }
const threshold = atPin('analog/threshold', { threshold_millivolt: 1000, trigger: 'rising' }, mode('analog'))
const interrupt = atPin('digital/interrupt', { debounce_time_milliseconds: 20, trigger: 'pulse' }, digital)
const counter = atPin('digital/counter', { state: 'enabled' }, digital)
const power: Endpoint = { effect: 'write', path: 'io:power-management', body: supply('5_volt', 0) }
const state: Endpoint = { effect: 'wired', path: 'drive:output/state', body: { state: 'low' }, first: supplied }
const ticks = { prescaler: 47, time_on: 250, period: 1000 }
const pwm: Endpoint = { effect: 'wired', path: 'drive:output/pwm', body: ticks, first: supplied }

resources('pins', 'The module has six pins, numbered 1 to 6')
for (const path of inputs)
  read(path.replaceAll('/', '-'), `GET io:${path} lists the pins 1 to 6 in order`, async (device) => {
    const { pins } = await device.read(`io:${path}`)
    hasShape(pins, { each: { pin: 'uint', pin_type: 'text', value: 'uint' } }, 'pins')
    const numbers = (pins as { pin: number }[]).map(({ pin }) => pin)
    equal(numbers, [1, 2, 3, 4, 5, 6], 'pins')
  })
resources('pin-types', 'pin_type says what value is')
read('values', `pin_type is ${pinTypes.join(', ')}`, ofPins('input/values', { pin_type: pinTypes }))
read('currents', 'pin_type is current_milliampere', ofPins('input/values/current', { pin_type: ['current_milliampere'] }))
write('digital', 'the value of a digital input is 0 or 1', digital, async (device) =>
  hasShape(await device.pin({ base: device.base('io'), pin: 6 }), { pin_type: ['digital_input'], value: [0, 1] }, 'pin 6'),
)
resources('current', 'A current is readable in every mode')
const still = step('GET io:input/values/current has a value of pin 6', async (device) =>
  that((await device.pin({ base: device.base('io'), pin: 6 }, 'input/values/current')).value <= 5, 'a current near zero'),
)
write('modes', mode('analog'), still, digital, still)
resources('notification-fields', 'A notification has four booleans')
const flags = {
  under_voltage_alert: 'bool',
  high_voltage_alert: 'bool',
  high_current_alert: 'bool',
  custom_voltage_alert: 'bool',
}
write('fields', 'GET io:notification/<pin> has them, for each of six pins', async (device) => {
  for (let pin = 1; pin <= 6; pin++) hasShape(await device.read(`io:notification/${pin}`), flags as Shape)
})

io('mode-body', 'POST input/mode has pin and mode')
body(pinMode)
write('words', refuse('io:input/mode', { pin: 6 }, 'mode', 'output', 'pwm', 'Analog', ''))
io('pin-numbers', 'A pin is 1 to 6')
inside(pinMode, 'pin', 1, 2, 3, 4, 5, 6)
beyond(pinMode, 'pin', 0, 7, -1)
for (const at of [threshold, interrupt, counter, state, pwm]) beyond(at, 'pin', 0, 7)
modes('default-analog', 'An analog input is the default')
write('reset', digital, reset, typed('voltage_millivolt'))
modes('mode-digital', 'mode digital makes a digital input')
write('reads', reset, digital, typed('digital_input'), typed('voltage_millivolt', 5))
modes('mode-analog', 'mode analog resets the pin')
write('reads', digital, counting('enabled'), mode('analog'), typed('voltage_millivolt'))

io('threshold-body', 'POST input/analog/threshold has pin, threshold and trigger')
body(threshold)
inside(threshold, 'trigger', 'rising', 'falling', 'disabled')
beyond(threshold, 'trigger', 'pulse', 'Rising', '')
io('threshold-bounds', 'A threshold is 50 to 25000 mV')
inside(threshold, 'threshold_millivolt', 50, 25_000)
beyond(threshold, 'threshold_millivolt', 49, 25_001, 0, -50)
io('interrupt-body', 'POST input/digital/interrupt has pin, debounce time and trigger')
body(interrupt)
inside(interrupt, 'trigger', 'rising', 'falling', 'pulse', 'disabled')
beyond(interrupt, 'trigger', 'both', 'Pulse', '')
io('debounce-bounds', 'A debounce time is 0 to 1000 ms')
inside(interrupt, 'debounce_time_milliseconds', 0, 1000)
beyond(interrupt, 'debounce_time_milliseconds', -1, 1001)
io('counter-body', 'POST input/digital/counter has pin and state')
body(counter)
inside(counter, 'state', 'enabled', 'disabled')
beyond(counter, 'state', 'on', 'Enabled', '')
io('mode-first', 'A threshold needs analog mode, an interrupt and a counter digital mode')
for (const [name, at, other] of [
  ['threshold', threshold, digital],
  ['interrupt', interrupt, mode('analog')],
  ['counter', counter, mode('analog')],
] as const)
  write(name, `POST ${at.path} in the other mode is refused`, other, (device) => device.refuses(at.path, at.body))
modes('counter-mode', 'A counter shows frequency_hertz, until it is disabled')
write('reads', digital, counting('enabled'), typed('frequency_hertz'), counting('disabled'), typed('digital_input'))

io('power-body', 'POST power-management has six items with rail and current')
body(power)
const items = (count: number) => Array(count).fill({ rail: '5_volt', current_milliampere: 0 })
write('count', 'none, five or seven items are refused', refuse(power.path, {}, 'config', items(0), items(5), items(7)))
const faulty = [
  ...['5_Volt', '3_volt', 5, undefined].map((rail) => ({ rail, current_milliampere: 0 })),
  ...[-1, '1', undefined].map((current_milliampere) => ({ rail: '5_volt', current_milliampere })),
].map((item) => [...items(5), item])
write(
  'items',
  'a wrong rail, a negative current or a missing field of one item is refused',
  refuse(power.path, {}, 'config', ...faulty),
)
const tooMuch = { rail_3v3_milliwatt: 'uint', rail_5v0_milliwatt: 'uint', rail_12v_milliwatt: 'uint' } as const
write('reply', 'the answer has status success or denied, and the power that is too much', async (device) => {
  const answer = await device.set(power.path, supply('5_volt', 10))
  hasShape(answer, { status: ['success', 'denied'], too_much_power: tooMuch })
})
write('rails', 'both rails are accepted', async (device) => {
  for (const rail of ['12_volt', '5_volt'] as const)
    equal((await device.set(power.path, supply(rail, 5)))['status'], 'success', `status of ${rail}`)
})
io('current-bounds', 'Bounds of current_milliampere', 'the specification does not show them')
io('cache', 'Input values are cached for 1 second; no-cache bypasses the cache')
for (const path of inputs)
  read(path.replaceAll('/', '-'), `a plain read of ${path} and one with no-cache succeed`, async (device) => {
    for (const headers of [{}, { 'cache-control': 'no-cache' }]) await device.read(`io:${path}`, headers)
  })

modes('needs-power', 'Outputs need a valid power configuration')
for (const [name, { path, body: fields }] of Object.entries({ state, pwm }))
  wired(name, `POST ${path} after reset is refused`, set('drive:reset', RESET), (device) =>
    device.refuses(path, { pin: device.wired.drive.pin, ...fields }),
  )
io('output-body', 'POST output/state has pin and state')
body(state)
inside(state, 'state', 'high', 'low')
beyond(state, 'state', 'on', 'High', '')
io('pwm-body', 'POST output/pwm has pin, prescaler, time_on and period')
body(pwm)
io('pwm-time-on', 'time_on is less than period')
inside(pwm, 'time_on', 1, 999)
beyond(pwm, 'time_on', 1000, 1001, -1)
io('pwm-frequency', 'The pwm base frequency, 48 MHz / (prescaler + 1) / period, is below 1 MHz')
const pulse = (prescaler: number, period: number) => ({ prescaler, period })
const below = [pulse(0, 49), pulse(48, 2), pulse(1, 25), pulse(6, 7)]
const above = [pulse(0, 48), pulse(47, 1), pulse(1, 24), pulse(5, 8), pulse(23, 2), pulse(0, 2)]
const listed = (pulses: typeof below) => pulses.map(({ prescaler, period }) => `${prescaler}, ${period}`).join('; ')
wired('edge-below', `prescaler and period ${listed(below)} succeed`, supplied, async (device) => {
  for (const one of below) await device.set(pwm.path, { pin: device.wired.drive.pin, ...one, time_on: 1 })
})
wired('edge-above', `prescaler and period ${listed(above)} are refused: 1 MHz or more`, supplied, async (device) => {
  for (const one of above) await device.refuses(pwm.path, { pin: device.wired.drive.pin, ...one, time_on: 0 })
})
const sixteen = 'the specification does not show them; the timer of 16 bit is internal'
io('pwm-bounds', 'Bounds of prescaler, period and time_on beyond these', sixteen)
io('debounce-advice', 'Debounce times of 20 ms or more are recommended', 'it is advice for applications')

export const ioSentences = list
