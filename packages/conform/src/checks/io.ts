import { collect } from '../check.ts'
import type { Device } from '../device.ts'
import { equal, hasShape, that } from '../expect.ts'
import { bodyChecks, bounds, type Sample } from './bodies.ts'

const { list, section, add, read, write, wired } = collect()
const resources = section('IO module resources')
const io = section('IO service')
const modes = section('IO pin modes')
const inputs = ['input/values', 'input/values/current'] as const
const pinTypes = ['voltage_millivolt', 'digital_input', 'frequency_hertz'] as const

/** The same supply for all six pins. */
export const supply = (rail: '5_volt' | '12_volt', milliampere: number) => ({
  config: Array.from({ length: 6 }, () => ({ rail, current_milliampere: milliampere })),
})
export const modeOf: Sample = () => ({ path: 'io:input/mode', body: { pin: 6, mode: 'digital' } })
const threshold: Sample = () => ({
  path: 'io:input/analog/threshold',
  body: { pin: 6, threshold_millivolt: 1000, trigger: 'rising' },
})
const interrupt: Sample = () => ({
  path: 'io:input/digital/interrupt',
  body: { pin: 6, debounce_time_milliseconds: 20, trigger: 'pulse' },
})
const counter: Sample = () => ({ path: 'io:input/digital/counter', body: { pin: 6, state: 'enabled' } })
const power: Sample = () => ({ path: 'io:power-management', body: supply('5_volt', 0) })
const state: Sample = ({ wired: { drive } }) => ({ path: `${drive.base}/output/state`, body: { pin: drive.pin, state: 'low' } })
const pwm: Sample = ({ wired: { drive } }) => ({
  path: `${drive.base}/output/pwm`,
  body: { pin: drive.pin, prescaler: 47, time_on: 250, period: 1000 },
})

/** The samples that need a mode first. */
const analog = async (device: Device) => device.post('io:input/mode', { pin: 6, mode: 'analog' })
const digital = async (device: Device) => device.post('io:input/mode', { pin: 6, mode: 'digital' })
const after = <Draft extends { run(device: Device): Promise<void> }>(
  begin: (device: Device) => Promise<unknown>,
  drafts: readonly Draft[],
) =>
  drafts.map((each) => ({
    ...each,
    run: async (device: Device): Promise<void> => {
      await begin(device)
      await each.run(device)
    },
  }))
/** Gives the wired pin power. */
export const supplied = async (device: Device) => {
  const { drive, watch } = device.wired
  const bases = [...new Set([drive.base, watch.base])]
  for (const base of bases) await device.post(`${base}/power-management`, supply('5_volt', 20))
}
const typeOf = async (device: Device, pin = 6) => (await device.pin({ base: device.base('io'), pin }))['pin_type']

const cached = (path: string) => async (device: Device) => {
  for (const headers of [{}, { 'cache-control': 'no-cache' }]) await device.read(`io:${path}`, headers)
}
resources('pins', 'The module has six pins, numbered 1 to 6')
for (const path of inputs)
  read(path.replaceAll('/', '-'), `GET ${path} lists the pins 1 to 6 in order`, async (device) => {
    const { pins } = await device.read(`io:${path}`)
    hasShape(pins, { each: { pin: 'uint', pin_type: 'text', value: 'uint' } }, 'pins')
    equal(
      (pins as { pin: number }[]).map((one) => one.pin),
      [1, 2, 3, 4, 5, 6],
      'pins',
    )
  })

resources('pin-types', 'pin_type says what value is')
read('values', 'input/values has one of three types', async (device) =>
  hasShape((await device.read('io:input/values'))['pins'], { each: { pin_type: pinTypes } }, 'pins'),
)
read('currents', 'input/values/current has current_milliampere alone', async (device) =>
  hasShape((await device.read('io:input/values/current'))['pins'], { each: { pin_type: ['current_milliampere'] } }, 'pins'),
)
write('digital', 'the value of a digital input is 0 or 1', async (device) => {
  await device.set('io:input/mode', { pin: 6, mode: 'digital' })
  hasShape(await device.pin({ base: device.base('io'), pin: 6 }), { pin_type: ['digital_input'], value: [0, 1] }, 'pin 6')
})

resources('current', 'A current is readable in every mode')
write('modes', 'input/values/current has a value of an analog and of a digital pin', async (device) => {
  for (const mode of ['analog', 'digital']) {
    await device.set('io:input/mode', { pin: 6, mode })
    that((await device.pin({ base: device.base('io'), pin: 6 }, 'input/values/current')).value <= 5, 'a current near zero')
  }
})

resources('notification-fields', 'A notification has four booleans')
write('fields', 'GET notification/<pin> has them, for each of six pins', async (device) => {
  const alerts: Record<string, 'bool'> = {
    under_voltage_alert: 'bool',
    high_voltage_alert: 'bool',
    high_current_alert: 'bool',
    custom_voltage_alert: 'bool',
  }
  for (let pin = 1; pin <= 6; pin++) hasShape(await device.read(`io:notification/${pin}`), alerts)
})

io('mode-body', 'POST input/mode has pin and mode')
add(...bodyChecks('write', 'input/mode', modeOf))
write('words', 'POST input/mode with output, pwm, Analog or an empty text is refused', async (device) => {
  for (const mode of ['output', 'pwm', 'Analog', '']) await device.refuses('io:input/mode', { pin: 6, mode })
})

io('pin-numbers', 'A pin is 1 to 6')
add(
  ...bounds('write', 'input/mode', 'pin', modeOf, {
    accepts: [1, 2, 3, 4, 5, 6],
    refuses: [0, 7, -1],
    statuses: [400, 404, 422],
  }),
)
for (const [name, sample, begin] of [
  ['threshold', threshold, analog],
  ['interrupt', interrupt, digital],
  ['counter', counter, digital],
] as const)
  add(...after(begin, bounds('write', name, 'pin', sample, { refuses: [0, 7], statuses: [400, 404, 422] })))
for (const [name, sample] of [
  ['output/state', state],
  ['output/pwm', pwm],
] as const)
  add(...after(supplied, bounds('wired', name, 'pin', sample, { refuses: [0, 7], statuses: [400, 404, 422] })))

modes('default-analog', 'An analog input is the default')
write('reset', 'after reset a pin shows voltage_millivolt', async (device) => {
  await device.reset(device.base('io'))
  equal(await typeOf(device), 'voltage_millivolt', 'pin_type')
})

modes('mode-digital', 'mode digital makes a digital input')
write('reads', 'the pin shows digital_input, and no other pin does', async (device) => {
  await device.reset(device.base('io'))
  await device.set('io:input/mode', { pin: 6, mode: 'digital' })
  equal([await typeOf(device), await typeOf(device, 5)], ['digital_input', 'voltage_millivolt'], 'types of pins 6 and 5')
})

modes('mode-analog', 'mode analog resets the pin')
write('reads', 'a pin with a counter shows voltage_millivolt', async (device) => {
  await digital(device)
  await device.post('io:input/digital/counter', { pin: 6, state: 'enabled' })
  await device.set('io:input/mode', { pin: 6, mode: 'analog' })
  equal(await typeOf(device), 'voltage_millivolt', 'pin_type')
})

io('threshold-body', 'POST input/analog/threshold has pin, threshold and trigger')
add(...after(analog, bodyChecks('write', 'threshold', threshold)))
add(
  ...after(
    analog,
    bounds('write', 'threshold', 'trigger', threshold, {
      accepts: ['rising', 'falling', 'disabled'],
      refuses: ['pulse', 'Rising', ''],
    }),
  ),
)

io('threshold-bounds', 'A threshold is 50 to 25000 mV')
add(
  ...after(
    analog,
    bounds('write', 'threshold', 'threshold_millivolt', threshold, { accepts: [50, 25_000], refuses: [49, 25_001, 0, -50] }),
  ),
)

io('interrupt-body', 'POST input/digital/interrupt has pin, debounce time and trigger')
add(...after(digital, bodyChecks('write', 'interrupt', interrupt)))
add(
  ...after(
    digital,
    bounds('write', 'interrupt', 'trigger', interrupt, {
      accepts: ['rising', 'falling', 'pulse', 'disabled'],
      refuses: ['both', 'Pulse', ''],
    }),
  ),
)

io('debounce-bounds', 'A debounce time is 0 to 1000 ms')
add(
  ...after(
    digital,
    bounds('write', 'interrupt', 'debounce_time_milliseconds', interrupt, { accepts: [0, 1000], refuses: [-1, 1001] }),
  ),
)

io('counter-body', 'POST input/digital/counter has pin and state')
add(...after(digital, bodyChecks('write', 'counter', counter)))
add(
  ...after(
    digital,
    bounds('write', 'counter', 'state', counter, { accepts: ['enabled', 'disabled'], refuses: ['on', 'Enabled', ''] }),
  ),
)

io('mode-first', 'A threshold needs analog mode, an interrupt and a counter digital mode')
for (const [name, sample, begin] of [
  ['threshold', threshold, digital],
  ['interrupt', interrupt, analog],
  ['counter', counter, analog],
] as const)
  write(name, `POST ${name} in the other mode is refused`, async (device) => {
    await begin(device)
    const { path, body } = sample(device)
    await device.refuses(path, body)
  })

modes('counter-mode', 'A counter shows frequency_hertz, until it is disabled')
write('reads', 'pin_type is frequency_hertz, then digital_input', async (device) => {
  await digital(device)
  await device.set('io:input/digital/counter', { pin: 6, state: 'enabled' })
  equal(await typeOf(device), 'frequency_hertz', 'pin_type')
  await device.set('io:input/digital/counter', { pin: 6, state: 'disabled' })
  equal(await typeOf(device), 'digital_input', 'pin_type')
})

io('power-body', 'POST power-management has six items with rail and current')
add(...bodyChecks('write', 'power-management', power))
write('count', 'five or seven items are refused', async (device) => {
  const item = { rail: '5_volt', current_milliampere: 0 }
  for (const length of [0, 5, 7]) await device.refuses('io:power-management', { config: Array(length).fill(item) })
})
write('items', 'a wrong rail, a negative current or a missing field of one item is refused', async (device) => {
  const { config } = supply('5_volt', 0)
  for (const item of [
    { rail: '5_Volt' },
    { rail: '3_volt' },
    { rail: 5 },
    { current_milliampere: -1 },
    { current_milliampere: '1' },
    { rail: undefined },
    { current_milliampere: undefined },
  ])
    await device.refuses('io:power-management', {
      config: config.map((one, index) => (index === 5 ? { ...one, ...item } : one)),
    })
})
write('reply', 'the answer has status success or denied, and the power that is too much', async (device) => {
  hasShape(await device.set('io:power-management', supply('5_volt', 10)), {
    status: ['success', 'denied'],
    too_much_power: { rail_3v3_milliwatt: 'uint', rail_5v0_milliwatt: 'uint', rail_12v_milliwatt: 'uint' },
  })
})
write('rails', 'both rails are accepted', async (device) => {
  for (const rail of ['12_volt', '5_volt'] as const)
    equal((await device.set('io:power-management', supply(rail, 5)))['status'], 'success', `status of ${rail}`)
})

io('current-bounds', 'Bounds of current_milliampere', 'the specification does not show them')

io('cache', 'Input values are cached for 1 second; no-cache bypasses the cache')
for (const path of inputs) read(path.replaceAll('/', '-'), `a plain read of ${path} and one with no-cache succeed`, cached(path))

modes('needs-power', 'Outputs need a valid power configuration')
for (const [name, sample] of [
  ['state', state],
  ['pwm', pwm],
] as const)
  wired(name, `POST output/${name} after reset is refused`, async (device) => {
    const { path, body } = sample(device)
    await device.reset(device.wired.drive.base)
    await device.refuses(path, body)
  })

io('output-body', 'POST output/state has pin and state')
add(...after(supplied, bodyChecks('wired', 'output/state', state)))
add(
  ...after(supplied, bounds('wired', 'output/state', 'state', state, { accepts: ['high', 'low'], refuses: ['on', 'High', ''] })),
)

io('pwm-body', 'POST output/pwm has pin, prescaler, time_on and period')
add(...after(supplied, bodyChecks('wired', 'output/pwm', pwm)))

io('pwm-time-on', 'time_on is less than period')
add(...after(supplied, bounds('wired', 'output/pwm', 'time_on', pwm, { accepts: [1, 999], refuses: [1000, 1001, -1] })))

io('pwm-frequency', 'The pwm base frequency, 48 MHz / (prescaler + 1) / period, is below 1 MHz')
for (const [name, below, above] of [
  [
    'edge',
    [
      [0, 49],
      [48, 2],
      [1, 25],
      [6, 7],
    ],
    [
      [0, 48],
      [47, 1],
      [1, 24],
      [5, 8],
      [23, 2],
      [0, 2],
    ],
  ],
] as const) {
  wired(`${name}-below`, `prescaler and period ${below.join('; ')} succeed`, async (device) => {
    await supplied(device)
    const { path, body } = pwm(device)
    for (const [prescaler, period] of below) await device.set(path, { ...body, prescaler, period, time_on: 1 })
  })
  wired(`${name}-above`, `prescaler and period ${above.join('; ')} are refused: exactly 1 MHz or more`, async (device) => {
    await supplied(device)
    const { path, body } = pwm(device)
    for (const [prescaler, period] of above) await device.refuses(path, { ...body, prescaler, period, time_on: 0 })
  })
}

io(
  'pwm-bounds',
  'Bounds of prescaler, period and time_on beyond these',
  'the specification does not show them; the timer of 16 bit is internal',
)

io('debounce-advice', 'Debounce times of 20 ms or more are recommended', 'it is advice for applications')

export const ioSentences = list
