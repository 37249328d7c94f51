import { collect, step } from '../check.ts'
import { equal, hasShape, type Shape, that } from '../expect.ts'
import { mode, RESET, refuse, reset, set, supplied, supply } from './steps.ts'

const { list, section, read, write, wired } = collect()
const resources = section('IO module resources')
const io = section('IO service')
const modes = section('IO pin modes')
const digital = mode('digital')
const counting = (state: 'enabled' | 'disabled') => set('io:input/digital/counter', { pin: 6, state })
const typed = (expected: string, pin = 6) =>
  step(`pin ${pin} shows ${expected}`, async (device) =>
    equal((await device.pin({ base: device.base('io'), pin }))['pin_type'], expected, `pin_type of pin ${pin}`),
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
  hasShape(await device.pin({ base: device.base('io'), pin: 6 }), { value: [0, 1] }, 'pin 6')
})
resources('current', 'A current is readable in every mode')
const still = step('the current of pin 6 is near zero', async (device) =>
  that((await device.pin({ base: device.base('io'), pin: 6 }, 'input/values/current')).value <= 5, 'a current near zero'),
)
write('modes', mode('analog'), still, digital, still)
resources('notification-fields', 'A notification has four booleans')
const flags = ['under_voltage', 'high_voltage', 'high_current', 'custom_voltage'].map(
  (name) => [`${name}_alert`, 'bool'] as const,
)
write('fields', 'GET io:notification/<pin> has them, for each of six pins', async (device) => {
  for (let pin = 1; pin <= 6; pin++) hasShape(await device.read(`io:notification/${pin}`), Object.fromEntries<Shape>(flags))
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
const threshold = { pin: 6, threshold_millivolt: 1000, trigger: 'rising' }
const interrupt = { pin: 6, debounce_time_milliseconds: 20, trigger: 'pulse' }
write('threshold', digital, refuse('io:input/analog/threshold', threshold))
write('interrupt', mode('analog'), refuse('io:input/digital/interrupt', interrupt))
write('counter', mode('analog'), refuse('io:input/digital/counter', { pin: 6, state: 'enabled' }))

io('power-reply', 'POST power-management answers success or denied, and the power that is too much')
const tooMuch = { rail_3v3_milliwatt: 'uint', rail_5v0_milliwatt: 'uint', rail_12v_milliwatt: 'uint' } as const
for (const rail of ['12_volt', '5_volt'] as const)
  write(rail, `6 times 5 mA of ${rail} answer success, and a power for each rail`, async (device) => {
    const answer = await device.set('io:power-management', supply(rail, 5))
    hasShape(answer, { status: ['success'], too_much_power: tooMuch })
  })
io('current-bounds', 'Bounds of current_milliampere', 'the specification does not show them')
modes('needs-power', 'Outputs need a valid power configuration')
for (const [name, fields] of Object.entries({ state: { state: 'low' }, pwm: { prescaler: 47, time_on: 250, period: 1000 } }))
  wired(name, `POST drive:output/${name} after reset is refused`, set('drive:reset', RESET), (device) =>
    device.refuses(`drive:output/${name}`, { pin: device.wired.drive.pin, ...fields }),
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
        await device[verb]('drive:output/pwm', { pin: device.wired.drive.pin, prescaler, period, time_on })
    },
  )
const sixteen = 'the specification does not show them; the timer of 16 bit is internal'
io('pwm-bounds', 'Bounds of prescaler, period and time_on beyond these', sixteen)
io('debounce-advice', 'Debounce times of 20 ms or more are recommended', 'it is advice for applications')

export const ioSentences = list
