import { type CheckStep, collect, step } from '../check.ts'
import { EVENT_MS, type TestedDevice } from '../device.ts'
import { equal, hasShape, that } from '../expect.ts'
import { all, mode, RESET, refuse, reset, set, supplied, supply, wait } from './steps.ts'

const { list, section, read, write, wired } = collect()
const resources = section('IO module resources')
const io = section('IO service')
const modes = section('IO pin modes')
const events = section('Events')
const digital = mode('digital')
const counting = (state: 'enabled' | 'disabled') => set('io:input/digital/counter', { pin: 6, state })
const typed = (expected: string, pin = 6) =>
  step(`pin ${pin} shows ${expected}`, async (device) =>
    equal((await device.pin('io:', pin))['pin_type'], expected, `pin_type of pin ${pin}`),
  )

resources('pins', 'The module has six pins, numbered 1 to 6')
for (const path of ['input/values', 'input/values/current'])
  read(path, `GET io:${path} lists the pins 1 to 6 in order`, async (device) => {
    const { pins } = await device.read(`io:${path}`)
    const numbers = Array.isArray(pins) ? pins.map((one: { pin?: unknown } | null) => one?.pin) : pins
    equal(numbers, [1, 2, 3, 4, 5, 6], 'pins')
  })
resources('digital-value', 'The value of a digital input is 0 or 1')
write('is', digital, typed('digital_input'), async (device) => {
  hasShape(await device.pin('io:', 6), { value: [0, 1] }, 'pin 6')
})
resources('current', 'A current is readable in every mode')
const still = step('the current of pin 6 is near zero', async (device) =>
  that((await device.pin('io:', 6, 'input/values/current')).value <= 5, 'a current near zero'),
)
write('modes', mode('analog'), still, digital, still)
resources('notification-fields', 'A notification has four booleans')
const flags = all('bool', 'under_voltage_alert', 'high_voltage_alert', 'high_current_alert', 'custom_voltage_alert')
write('fields', 'GET io:notification/<pin> has them, for each of six pins', async (device) => {
  for (let pin = 1; pin <= 6; pin++) hasShape(await device.read(`io:notification/${pin}`), flags)
})

modes('default-analog', 'An analog input is the default')
write('reset', digital, reset, typed('voltage_millivolt'))
modes('mode-digital', 'mode digital makes a digital input')
write('reads', reset, digital, typed('digital_input'), typed('voltage_millivolt', 5))
modes('mode-analog', 'mode analog resets the pin')
write('reads', digital, counting('enabled'), mode('analog'), typed('voltage_millivolt'))
modes('counter-mode', 'A counter shows frequency_hertz, until it is disabled')
write('reads', digital, counting('enabled'), typed('frequency_hertz'), counting('disabled'), typed('digital_input'))
io('mode-first', 'A threshold needs analog mode, an interrupt and a counter digital mode')
const rising = { pin: 6, threshold_millivolt: 1000, trigger: 'rising' }
const pulse = { pin: 6, debounce_time_milliseconds: 20, trigger: 'pulse' }
write('threshold', digital, refuse('io:input/analog/threshold', rising))
write('interrupt', mode('analog'), refuse('io:input/digital/interrupt', pulse))
write('counter', mode('analog'), refuse('io:input/digital/counter', { pin: 6, state: 'enabled' }))

io('power-reply', 'POST power-management answers success or denied, and the power that is too much')
const tooMuch = all('uint', 'rail_3v3_milliwatt', 'rail_5v0_milliwatt', 'rail_12v_milliwatt')
for (const rail of ['12_volt', '5_volt'] as const)
  write(rail, `6 times 5 mA of ${rail} answer success, and a power for each rail`, async (device) => {
    const answer = await device.set('io:power-management', supply(rail, 5))
    hasShape(answer, { status: ['success'], too_much_power: tooMuch })
  })
io('current-bounds', 'Bounds of current_milliampere', 'the specification does not show them')
modes('needs-power', 'Outputs need a valid power configuration')
for (const [name, fields] of Object.entries({ state: { state: 'low' }, pwm: { prescaler: 47, time_on: 250, period: 1000 } }))
  wired(name, `POST drive:output/${name} after reset is refused`, set('drive:reset', RESET), (device) =>
    device.refuses(`drive:output/${name}`, { pin: device.wired('drive').pin, ...fields }),
  )
io('pwm-frequency', 'The pwm base frequency, 48 MHz / (prescaler + 1) / period, is below 1 MHz')
const below = ['0/49', '48/2', '1/25', '6/7']
const above = ['0/48', '47/1', '1/24', '5/8', '23/2', '0/2']
for (const [name, pulses, time_on, verb] of [
  ['edge-below', below, 1, 'set'],
  ['edge-above', above, 0, 'refuses'],
] as const)
  wired(
    name,
    `prescaler/period ${pulses.join(', ')} are ${verb === 'set' ? 'accepted' : 'refused'}`,
    supplied,
    async (device) => {
      for (const [prescaler, period] of pulses.map((one) => one.split('/').map(Number)))
        await device[verb]('drive:output/pwm', { pin: device.wired('drive').pin, prescaler, period, time_on })
    },
  )
io('pwm-bounds', 'Bounds of prescaler, period and time_on beyond these', 'the specification does not show them')
io('power-denied', 'A budget that is strict denies too much power, a weak one grants it', 'no resource shows its mode')
io('debounce-advice', 'Debounce times of 20 ms or more are recommended', 'it is advice for applications')

// With two pins that are wired together. Steps at the driven and at the other pin:
const at = (name: 'drive' | 'watch') => (path: string, body: object) =>
  step(path, (device) => device.set(`${name}:${path}`, { pin: device.wired(name).pin, ...body }))
const [drive, watch] = [at('drive'), at('watch')]
const pinOf = (device: TestedDevice, name: 'drive' | 'watch') => device.pin(`${name}:`, device.wired(name).pin)
const notification = (device: TestedDevice) => device.read(`watch:notification/${device.wired('watch').pin}`)
const [high, low] = [drive('output/state', { state: 'high' }), drive('output/state', { state: 'low' })]
const pwm = (prescaler: number, time_on: number) => drive('output/pwm', { prescaler, time_on, period: 1000 })
const event = wait(EVENT_MS)
/** From here on, the driven pin is a low output without pending alerts. */
const ready: readonly CheckStep[] = [supplied, low, event, notification]
const reads = (least: number, most = least) =>
  step(`${least} to ${most}`, async (device) => {
    const { value } = await pinOf(device, 'watch')
    that(value >= least && value <= most, `a value from ${least} to ${most} at the other pin`, value)
  })
const [isHigh, isLow] = [reads(4000, 6000), reads(0, 500)]
const alert = (expected: boolean) =>
  step(`${expected}`, async (device) =>
    equal((await notification(device))['custom_voltage_alert'], expected, 'custom_voltage_alert'),
  )
const [yes, no] = [alert(true), alert(false)]
const [toAnalog, toDigital] = [watch('input/mode', { mode: 'analog' }), watch('input/mode', { mode: 'digital' })]
const counter = watch('input/digital/counter', { state: 'enabled' })
const threshold = (trigger: string) => watch('input/analog/threshold', { threshold_millivolt: 2000, trigger })
const interrupt = (trigger: string, debounce_time_milliseconds = 0) =>
  watch('input/digital/interrupt', { debounce_time_milliseconds, trigger })

modes('output', 'POST output/state makes an output')
wired('levels', 'the other pin is above 4 V when it is high, below 0.5 V when it is low', ...ready, high, isHigh, low, isLow)
wired('type', 'the output itself shows voltage_millivolt', ...ready, high, async (device) =>
  equal((await pinOf(device, 'drive'))['pin_type'], 'voltage_millivolt', 'pin_type of the output'),
)
wired('reset', 'after reset the pin is no output', ...ready, high, set('drive:reset', RESET), isLow)
wired('input', 'input/mode ends the output', ...ready, high, drive('input/mode', { mode: 'analog' }), isLow)
modes('digital-level', 'A digital input reads 0 (LOW) or 1 (HIGH)')
wired('levels', 'the other pin follows', ...ready, toDigital, high, reads(1), low, reads(0))
modes('pwm', 'POST output/pwm drives the pin with the given frequency')
const hundred = [pwm(479, 300), wait(2100), reads(98, 102)]
const thousand = [pwm(47, 300), wait(2100), reads(980, 1020)]
wired('counter', 'a counter at the other pin shows 100 Hz and 1 kHz', ...ready, toDigital, counter, ...hundred, ...thousand)
wired('zero', 'time_on 0 holds the pin low', ...ready, pwm(47, 0), wait(10), isLow)
wired('state', 'output/state ends the pwm', ...ready, pwm(47, 0), high, isHigh)
modes('counter-reads', 'A counter shows the frequency at the pin')
wired('still', 'it shows 0 at a level that stays', ...ready, toDigital, counter, wait(1100), reads(0))

modes('threshold-events', 'A threshold event raises a notification')
const rise = [high, event]
const fall = [low, event]
const atThreshold = (trigger: string) => [...ready, toAnalog, threshold(trigger)]
const atInterrupt = (trigger: string) => [...ready, toDigital, interrupt(trigger)]
wired('rising', 'trigger rising: at high, not at low', ...atThreshold('rising'), ...rise, yes, ...fall, no, ...rise, yes)
wired('falling', 'trigger falling: at low, not at high', ...atThreshold('falling'), ...rise, no, ...fall, yes)
wired('disabled', 'trigger disabled: never', ...atThreshold('disabled'), ...rise, no, ...fall, no)
wired('reset', 'mode analog resets the threshold', ...ready, threshold('rising'), toAnalog, ...rise, no)
modes('interrupt-events', 'An interrupt raises a notification')
wired('rising', 'trigger rising: at high, not at low', ...atInterrupt('rising'), ...rise, yes, ...fall, no)
wired('falling', 'trigger falling: at low, not at high', ...atInterrupt('falling'), ...rise, no, ...fall, yes)
wired('disabled', 'trigger disabled: never', ...atInterrupt('disabled'), ...rise, no, ...fall, no)
wired('pulse', 'trigger pulse: after a pulse', ...atInterrupt('pulse'), high, ...fall, yes)
io('debounce', 'After a trigger all events within the debounce time are ignored')
const debounced = [...ready, toDigital, interrupt('rising', 1000)]
const again = [low, ...rise]
const ignored = 'with 1000 ms a second edge at once raises nothing, and one after that time does'
wired('ignored', ignored, ...debounced, ...again, yes, ...again, no, wait(1000), ...again, yes)
io('stored-once', 'Only the fact of a trigger is stored, not its count')
const merged = 'after three edges one read has the alert, and no other'
wired('merged', merged, ...atInterrupt('rising'), high, low, high, low, high, event, yes, no)
events('delay', 'A notification is usually readable more than 20 ms after the event', 'usually has no bound')
events('custom-stays', 'custom_voltage_alert does not disable the pin')
wired('mode', 'after the alert the pin is a digital input', ...atInterrupt('rising'), ...rise, async (device) =>
  equal((await pinOf(device, 'watch'))['pin_type'], 'digital_input', 'pin_type'),
)
events('flags', 'A trigger raises no alert of an error')
wired('only', 'the three other flags stay false', ...atInterrupt('rising'), ...rise, async (device) => {
  hasShape(await notification(device), { under_voltage_alert: [false], high_voltage_alert: [false], high_current_alert: [false] })
})
events('polling', 'Clients poll notification during operation', 'it is a rule for clients')
events('clears', 'Whether reading a notification clears it, and the flag of a trigger', 'the specification does not show it')

export const ioSentences = list
