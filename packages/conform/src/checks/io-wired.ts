import { collect } from '../check.ts'
import { type Device, EVENT_MS } from '../device.ts'
import { equal, that } from '../expect.ts'
import { supplied } from './io.ts'

const { list, section, wired } = collect()
const modes = section('IO pin modes')
const io = section('IO service')
const events = section('Events')

/** From here on, `drive` is a low output and `watch` an analog input, without pending alerts. */
async function lines(device: Device) {
  const { drive, watch } = device.wired
  await supplied(device)
  const state = (level: 'high' | 'low') => device.set(`${drive.base}/output/state`, { pin: drive.pin, state: level })
  const set = (path: string, body: object) => device.set(`${watch.base}/${path}`, { pin: watch.pin, ...body })
  const alert = async () => (await device.read(`${watch.base}/notification/${watch.pin}`))['custom_voltage_alert']
  await state('low')
  await device.wait(EVENT_MS)
  await alert()
  return { drive, watch, state, set, alert, value: async () => (await device.pin(watch)).value }
}

/** Levels one after another, and whether an alert follows each. */
const triggers = async (
  device: Device,
  mode: 'analog' | 'digital',
  arm: readonly [path: string, body: object],
  steps: readonly (readonly ['high' | 'low', boolean])[],
) => {
  const { state, set, alert } = await lines(device)
  await set('input/mode', { mode })
  await set(...arm)
  for (const [level, isExpected] of steps) {
    await state(level)
    await device.wait(EVENT_MS)
    equal(await alert(), isExpected, `custom_voltage_alert after ${level}`)
  }
}
const thresholdOf = (trigger: string) => ['input/analog/threshold', { threshold_millivolt: 2000, trigger }] as const
const interruptOf = (trigger: string, debounce = 0) =>
  ['input/digital/interrupt', { debounce_time_milliseconds: debounce, trigger }] as const
modes('output', 'POST output/state makes an output')
wired('levels', 'the other pin reads more than 4 V when it is high, less than 0.5 V when it is low', async (device) => {
  const { state, value } = await lines(device)
  await state('high')
  that((await value()) > 4000, 'more than 4000 mV')
  await state('low')
  that((await value()) < 500, 'less than 500 mV')
})
wired('type', 'the output itself shows voltage_millivolt', async (device) => {
  const { drive, state } = await lines(device)
  await state('high')
  const { pin_type: type, value } = await device.pin(drive)
  that(type === 'voltage_millivolt' && value > 4000, 'voltage_millivolt of more than 4000', { type, value })
})
wired('reset', 'after reset the pin is no output', async (device) => {
  const { drive, state, value } = await lines(device)
  await state('high')
  await device.reset(drive.base)
  that((await value()) < 500, 'less than 500 mV')
})
wired('input', 'input/mode ends the output', async (device) => {
  const { drive, state, value } = await lines(device)
  await state('high')
  await device.set(`${drive.base}/input/mode`, { pin: drive.pin, mode: 'analog' })
  that((await value()) < 500, 'less than 500 mV')
})

modes('digital-level', 'A digital input reads 0 (LOW) or 1 (HIGH)')
wired('levels', 'the other pin follows', async (device) => {
  const { state, set, value } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  for (const [level, expected] of [
    ['high', 1],
    ['low', 0],
  ] as const) {
    await state(level)
    equal(await value(), expected, `value after ${level}`)
  }
})

modes('pwm', 'POST output/pwm drives the pin with the given frequency')
wired('counter', 'a counter at the other pin shows it, for 100 Hz and 1 kHz', async (device) => {
  const { drive, set, value } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set('input/digital/counter', { state: 'enabled' })
  for (const [prescaler, frequency] of [
    [479, 100],
    [47, 1000],
  ] as const) {
    await device.set(`${drive.base}/output/pwm`, { pin: drive.pin, prescaler, time_on: 300, period: 1000 })
    await device.wait(2100)
    const seen = await value()
    that(Math.abs(seen - frequency) <= frequency / 50 + 1, `${frequency} Hz within 2 percent`, seen)
  }
})
wired('zero', 'time_on 0 holds the pin low', async (device) => {
  const { drive, value } = await lines(device)
  await device.set(`${drive.base}/output/pwm`, { pin: drive.pin, prescaler: 47, time_on: 0, period: 1000 })
  await device.wait(10)
  that((await value()) < 500, 'less than 500 mV')
})
wired('state', 'output/state ends the pwm', async (device) => {
  const { drive, state, value } = await lines(device)
  await device.set(`${drive.base}/output/pwm`, { pin: drive.pin, prescaler: 47, time_on: 0, period: 1000 })
  await state('high')
  that((await value()) > 4000, 'more than 4000 mV')
})

modes('counter-reads', 'A counter shows the frequency at the pin')
wired('still', 'it shows 0 at a level that stays', async (device) => {
  const { set, value } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set('input/digital/counter', { state: 'enabled' })
  await device.wait(1100)
  equal(await value(), 0, 'frequency')
})

modes('threshold-events', 'A threshold event raises a notification')
wired('rising', 'trigger rising: at high, not at low', (device) =>
  triggers(device, 'analog', thresholdOf('rising'), [
    ['high', true],
    ['low', false],
    ['high', true],
  ]),
)
wired('falling', 'trigger falling: at low, not at high', (device) =>
  triggers(device, 'analog', thresholdOf('falling'), [
    ['high', false],
    ['low', true],
  ]),
)
wired('disabled', 'trigger disabled: never', (device) =>
  triggers(device, 'analog', thresholdOf('disabled'), [
    ['high', false],
    ['low', false],
  ]),
)
wired('reset', 'mode analog resets the threshold', async (device) => {
  const { state, set, alert } = await lines(device)
  await set(...thresholdOf('rising'))
  await set('input/mode', { mode: 'analog' })
  await state('high')
  await device.wait(EVENT_MS)
  equal(await alert(), false, 'custom_voltage_alert')
})

modes('interrupt-events', 'An interrupt raises a notification')
wired('rising', 'trigger rising: at high, not at low', (device) =>
  triggers(device, 'digital', interruptOf('rising'), [
    ['high', true],
    ['low', false],
  ]),
)
wired('falling', 'trigger falling: at low, not at high', (device) =>
  triggers(device, 'digital', interruptOf('falling'), [
    ['high', false],
    ['low', true],
  ]),
)
wired('disabled', 'trigger disabled: never', (device) =>
  triggers(device, 'digital', interruptOf('disabled'), [
    ['high', false],
    ['low', false],
  ]),
)
wired('pulse', 'trigger pulse: after a pulse', async (device) => {
  const { state, set, alert } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set(...interruptOf('pulse'))
  await state('high')
  await state('low')
  await device.wait(EVENT_MS)
  equal(await alert(), true, 'custom_voltage_alert')
})

io('debounce', 'After a trigger all events within the debounce time are ignored')
wired('ignored', 'with 1000 ms a second edge at once raises nothing, and one after that time does', async (device) => {
  const { state, set, alert } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set(...interruptOf('rising', 1000))
  for (const [waitMs, isExpected] of [
    [EVENT_MS, true],
    [EVENT_MS, false],
    [1000, undefined],
    [EVENT_MS, true],
  ] as const) {
    if (isExpected === undefined) {
      await device.wait(waitMs)
      continue
    }
    await state('low')
    await state('high')
    await device.wait(waitMs)
    equal(await alert(), isExpected, 'custom_voltage_alert after an edge')
  }
})

io('stored-once', 'Only the fact of a trigger is stored, not its count')
wired('merged', 'after three edges one read has the alert, and no other', async (device) => {
  const { state, set, alert } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set(...interruptOf('rising'))
  for (const level of ['high', 'low', 'high', 'low', 'high'] as const) await state(level)
  await device.wait(EVENT_MS)
  equal([await alert(), await alert()], [true, false], 'two reads of the alert')
})

events('custom-stays', 'custom_voltage_alert does not disable the pin')
wired('mode', 'after the alert the pin is a digital input', async (device) => {
  const { state, set, watch } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set(...interruptOf('rising'))
  await state('high')
  await device.wait(EVENT_MS)
  equal((await device.pin(watch))['pin_type'], 'digital_input', 'pin_type')
})

events('flags', 'A trigger raises no alert of an error')
wired('only', 'the three other flags stay false', async (device) => {
  const { state, set, watch } = await lines(device)
  await set('input/mode', { mode: 'digital' })
  await set(...interruptOf('rising'))
  await state('high')
  await device.wait(EVENT_MS)
  const {
    under_voltage_alert: under,
    high_voltage_alert: over,
    high_current_alert: current,
  } = await device.read(`${watch.base}/notification/${watch.pin}`)
  equal([under, over, current], [false, false, false], 'alerts')
})

events('polling', 'Clients poll notification during operation', 'it is a rule for clients')

events(
  'clears',
  'Whether reading a notification clears it, and the flag of a trigger',
  'the specification does not show it; we judge by the fact that a trigger is stored once',
)

export const wiredSentences = list
