import { collect, step } from '../check.ts'
import { type Action, EVENT_MS, type JsonFields, type TestedDevice } from '../device.ts'
import { equal, hasShape, that } from '../expect.ts'
import { addsUp } from './power.ts'
import { done, hardReset, highest, limitsOf, mode, RESET, rails, set, shows, supply, voltages, wait } from './steps.ts'

const { list, section, bench } = collect()
const watchdog = section('BMC watchdog')

/** A pin of the first io module, without wiring. */
const PIN = 2
const AS = 'conform'
const CUT: Action = ['disconnect', { of: AS }]
const cut = (device: TestedDevice) => device.bench(...CUT)
const connect = (device: TestedDevice, to: JsonFields) =>
  device.bench('connect', { pin: `${device.slots('io')[0]}/${PIN}`, to, as: AS }, CUT)
const valueOf = async (device: TestedDevice, path: string, headers?: Readonly<Record<string, string>>) =>
  (await device.pin('io:', PIN, path, headers)).value
const high = set('io:output/state', { pin: PIN, state: 'high' })
const powered = (milliampere: number) => set('io:power-management', supply('5_volt', milliampere))

section('IO service')('cache', 'A value is cached for 1 second, and no-cache bypasses the cache')
for (const [path, first, to] of [
  ['input/values', [powered(100)], (ohms: number) => ({ source: { volts: ohms / 100, ohms: 100 } })],
  ['input/values/current', [powered(100), high], (ohms: number) => ({ resistor: { ohms } })],
] as const) {
  const promise = `a plain read of ${path} shows a change after 1.1 s, not after 900 ms; no-cache shows it at once`
  bench(path, promise, ...first, async (device) => {
    const plainAfter = async (ohms: number, ms: number) => {
      await connect(device, to(ohms))
      await device.wait(ms)
      return valueOf(device, path, {})
    }
    const before = await plainAfter(500, 1100)
    await cut(device)
    equal(await plainAfter(200, 900), before, 'a plain read after 900 ms')
    const fresh = await valueOf(device, path)
    that(fresh !== before, 'a new value with no-cache', fresh)
    await cut(device)
    const later = await plainAfter(400, 1100)
    await cut(device)
    that(later !== fresh && later !== before, 'a new value after 1.1 s', later)
  })
}

/** The surroundings without a load and at 25 degrees. */
const calm = step('no load', async (device) => {
  await device.bench('ambient', { celsius: 25 })
  for (const rail of rails) await device.bench('rail', { rail, load_milliampere: 0, offset_millivolt: 0 })
})
/** Sets a rail to a voltage or a current. */
const apply = async (device: TestedDevice, rail: string, isCurrent: boolean, value: number) => {
  const [reading, field] = isCurrent ? ['current', 'load_milliampere'] : ['voltage', 'offset_millivolt']
  const now = Number((await device.read('power:stats'))[`${reading}_${rail}`])
  await device.bench('rail', { rail, [field]: value - now })
  await device.wait(50)
}
section('IO pin modes')('alerts', 'An alert of an error disables the pin, which falls back to analog input')
/** Connects something to a pin in a mode, with 5 V lowered to some voltage, and reads which alert comes. */
for (const [flag, cause, first, to, millivolt] of [
  ['high_current_alert', 'a short circuit', [powered(50), high], { short: {} }, 5000],
  ['under_voltage_alert', '5 V at 4.65 V under load', [powered(200), high], { resistor: { ohms: 25 } }, 4650],
  ['high_voltage_alert', '30 V at a digital input', [mode('digital', PIN)], { source: { volts: 30, ohms: 10_000 } }, 5000],
] as const)
  bench(flag, `${cause} raises ${flag}, and disables the pin`, ...first, async (device) => {
    const notification = () => device.read(`io:notification/${PIN}`)
    await notification()
    await connect(device, to)
    if (millivolt < 5000) await apply(device, '5v0', false, millivolt)
    await device.wait(EVENT_MS)
    const seen = await notification()
    await cut(device)
    await calm(device)
    equal(seen[flag], true, flag)
    await device.wait(EVENT_MS)
    const { pin_type: type, value } = await device.pin('io:', PIN)
    that(type === 'voltage_millivolt' && value < 500, 'an analog input that nothing drives', { type, value })
  })

section('Power module resources')('protections', 'A protection counter increases on its event')
const log = (device: TestedDevice) => device.read('power:protectionlog')
const load = (device: TestedDevice, rail: string, load_milliampere: number) => device.bench('rail', { rail, load_milliampere })
/** Loads the rails to a part of source_total: 24 W at 12 V, the rest at 5 V. */
const overload = async (device: TestedDevice, part: number) => {
  const { source_total: available } = await device.read('power:source')
  await load(device, '12v', 2000)
  await load(device, '5v0', Math.max(0, Math.floor((Number(available) * part - 24_000) / 5)))
  await device.wait(50)
}
const heat = async (device: TestedDevice, celsius: number) => {
  await device.bench('ambient', { celsius })
  await load(device, '12v', 500)
  await device.wait(60_000)
}
/** A counter, a value that it must bear, and one that it must count: mV, mA, part of the power, degrees. */
const protections: readonly (readonly [name: string, ...values: readonly number[]])[] = [
  ...rails.map((rail) => [`ovp_cnt_${rail}`, voltages[rail][1] - 20, voltages[rail][1] + 30] as const),
  ...rails.map((rail) => [`uvp_cnt_${rail}`, voltages[rail][0] + 20, voltages[rail][0] - 30] as const),
  ['ocp_cnt_3v3', 1800, 2100],
  ['ocp_cnt_5v0', 1800, 2100],
  ['ocp_cnt_12v', 500, 550],
  ['total_power_overload', 0.9, 1.2],
  ['pmc_temperature', 60, 125],
]
for (const [name, ...values] of protections)
  for (const [index, value] of values.entries()) {
    const isBeyond = index === 1
    const [kind, rail] = name.split('_cnt_')
    const limits = rail === undefined ? highest : limitsOf(2050, 2050, 520)
    const promise = `at ${value} ${name} ${isBeyond ? 'counts' : 'stays'}, and the sum is right`
    bench(`${name}-${isBeyond ? 'beyond' : 'inside'}`, promise, calm, set('power:limits', limits), async (device) => {
      const before = Number((await log(device))[name])
      if (rail !== undefined) await apply(device, rail, kind === 'ocp', value)
      else await (name === 'pmc_temperature' ? heat : overload)(device, value)
      await calm(device)
      await device.wait(name === 'pmc_temperature' ? 60_000 : 0)
      await device.restarted()
      await device.wait(1500)
      const after = Number((await log(device))[name])
      that(isBeyond ? after > before : after === before, `${name} ${isBeyond ? 'above' : 'of'} ${before}`, after)
      await addsUp(device)
    })
  }
bench('factory', 'the factory reset command clears all counters', calm, async (device) => {
  await device.bench('factory_reset', { slot: device.slots('power')[0] })
  await device.wait(1000)
  await device.restarted()
  for (const [name, value] of Object.entries(await log(device))) equal(value, 0, name)
})

section('Version and device list')(
  'dead-module',
  'Only usable modules are listed; a session changes when its module may have lost its state',
)
/** Takes the last io module away and back: it must leave the list, and come back with a new session. */
for (const [name, event, minStatus, maxStatus, take, give] of [
  ['fault', 'hangs', 400, 599, { hang: {}, as: AS }, (): Action => ['clear_faults', { of: AS }]],
  ['unplug', 'is unplugged', 404, 404, {}, (slot: number): Action => ['plug', { slot, module: 'io' }]],
] as const) {
  const whole = `a module that ${event} is not listed and answers an error; when it is back its session is new, and no other`
  bench(name, whole, async (device) => {
    const slot = device.slots('io').at(-1) ?? 0
    const before = await device.sessions('io')
    await device.bench(name, { slot, ...take }, give(slot))
    await device.wait(3000)
    const gone = await device.sessions('io')
    const { status } = await device.get(`${device.base('io', slot)}/input/values`)
    await device.bench(...give(slot))
    await device.wait(3000)
    const back = await device.sessions('io')
    that(!gone.slots.has(slot), `no slot ${slot} in the list`)
    that(status >= minStatus && status <= maxStatus, `a status from ${minStatus} to ${maxStatus}`, status)
    that(back.slots.has(slot) && back.slots.get(slot) !== before.slots.get(slot), `a new session of slot ${slot}`)
    equal({ ...back, slots: new Map([...back.slots, [slot, before.slots.get(slot)]]) }, before, 'the other sessions')
  })
}

watchdog('shutdown-timeout', 'shutdown_timeout is stored persistently')
const stored = shows('bmc:watchdog', { shutdown_timeout: 54_321 })
bench('stored', set('bmc:watchdog/sw_shutdown_timeout', { timeout: 54_321 }), stored, ...hardReset, stored)
watchdog('watchdog-save', 'GET watchdog/save stores the timeout persistently')
const save = shows('bmc:watchdog/save', { status: 'success' })
const saved = (timeout: number) => [set('bmc:watchdog', { timeout }), save, ...hardReset, shows('bmc:watchdog', { timeout })]
bench('stored', ...saved(432_000), ...saved(0))

section('BMC USB hub')('usb-applied', 'A change of hub or port is applied by usbhub/reset')
for (const [field, path] of Object.entries({ hub_state: 'bmc:usbhub', port_slot_4: 'bmc:usbhub/slot/4' })) {
  const applied = [done('bmc:usbhub/reset', RESET), wait(3000)]
  const shown = (isOn: boolean) => shows('bmc:usbhub', { [field]: isOn ? 'enabled' : 'disabled' })
  const changed = (state: boolean) => [done(path, { state }), shown(!state), ...applied, shown(state)]
  bench(field, set(path, { state: true }), ...applied, ...changed(false), ...changed(true))
}
bench('attached', 'a device on a port is listed with its slot and its texts', async (device) => {
  const texts = { manufacturer: 'Conform', product: 'Probe', serial_code: 'C-1' }
  await device.bench('usb_attach', { slot: 5, ...texts }, ['usb_detach', { slot: 5 }])
  await device.wait(3000)
  const { devices } = await device.read('bmc:usbhub/devices')
  await device.bench('usb_detach', { slot: 5 })
  const usbDevice = (devices as { serial_code?: unknown }[]).find((one) => one.serial_code === 'C-1')
  hasShape(usbDevice, { slot: [5], manufacturer: ['Conform'], product: ['Probe'], system_path: 'text' }, 'device')
})

section('USB bootloader')('bootloader', 'The bootloader is armed until the next reset, and ends after 90 s without a host')
const arm = (enabled: boolean, timeout: number) => set('bmc:usb_bootloader', { enabled, timeout })
const answers = step('GET /api/bmc/ answers 200', (device) => device.read('/api/bmc/'))
const away = 'armed, nothing happens; after hard_reset the device is away for 90 s, and then back'
const armed = [arm(false, 0), arm(true, 60_000), wait(5000), answers]
bench('window', away, ...armed, set('bmc:hard_reset', RESET), wait(80_000), async (device) => {
  const { status } = await device.get('/api/bmc/')
  await device.wait(20_000)
  await device.restarted()
  that(status >= 500, 'an error while the bootloader waits', status)
})

export const benchSentences = list
