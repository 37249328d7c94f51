import { collect, step } from '../check.ts'
import { type Device, EVENT_MS } from '../device.ts'
import { equal, hasShape, that, Unjudged } from '../expect.ts'
import { mode, supply } from './io.ts'
import { addsUp, highest, limitsOf, rails } from './power.ts'
import { done, type Endpoint, fieldChecks, hardReset, RESET, restarted, set, shows, wait } from './steps.ts'

const { list, section, add, bench } = collect()
const { body, inside, beyond, ok } = fieldChecks(add)
const modes = section('IO pin modes')
const io = section('IO service')
const power = section('Power module resources')
const watchdog = section('BMC watchdog')
const usb = section('BMC USB hub')
const usbBoot = section('USB bootloader')
const root = section('Version and device list')

/** A pin of the first io module, without wiring. */
const PIN = 2
const AS = { as: 'conform' }
const connect = (device: Device, to: object) => device.bench('connect', { pin: `${device.slots('io')[0]}/${PIN}`, to, ...AS })
const disconnect = (device: Device) => device.bench('disconnect', { of: AS.as })
const high = set('io:output/state', { pin: PIN, state: 'high' })
const powered = (milliampere: number) => set('io:power-management', supply('5_volt', milliampere))

io('cache-second', 'A value is cached for 1 second, and no-cache bypasses the cache')
for (const [name, path, to] of [
  ['voltage', 'input/values', (ohms: number) => ({ source: { volts: ohms / 100, ohms: 100 } })],
  ['current', 'input/values/current', (ohms: number) => ({ resistor: { ohms } })],
] as const)
  bench(
    name,
    `a plain read of ${path} shows a change after 1.1 s, not after 900 ms; no-cache shows it at once`,
    async (device) => {
      const at = async (headers: Readonly<Record<string, string>>) => {
        const { pins } = await device.read(`io:${path}`, headers)
        return (pins as { pin: number; value: number }[]).find(({ pin }) => pin === PIN)?.value
      }
      await powered(100)(device)
      if (name === 'current') await high(device)
      await connect(device, to(500))
      await device.wait(1100)
      const before = await at({})
      await disconnect(device)
      await connect(device, to(200))
      await device.wait(900)
      equal(await at({}), before, 'a plain read after 900 ms')
      const fresh = await at({ 'cache-control': 'no-cache' })
      that(fresh !== before, 'a new value with no-cache', fresh)
      await disconnect(device)
      await connect(device, to(400))
      await device.wait(1100)
      const later = await at({})
      await disconnect(device)
      that(later !== fresh && later !== before, 'a new value after 1.1 s', later)
    },
  )

const calm = step('no load', async (device) => {
  for (const rail of rails) await device.bench('rail', { rail, load_milliampere: 0, offset_millivolt: 0 })
})
/** Sets the voltage or the current of a rail. */
const apply = async (device: Device, rail: string, field: 'load_milliampere' | 'offset_millivolt', value: number) => {
  const stats = await device.read('power:stats')
  const now = Number(stats[`${field === 'load_milliampere' ? 'current' : 'voltage'}_${rail}`])
  await device.bench('rail', { rail, [field]: value - now })
  await device.wait(50)
}
modes('alerts', 'An alert of an error disables the pin, which falls back to analog input')
/** Connects something to a pin in a mode, with 5 V lowered to some voltage, and reads which alert comes. */
for (const [name, does, first, to, millivolt] of [
  ['high-current', 'a short circuit', [powered(50), high], { short: {} }, 5000],
  ['under-voltage', '5 V at 4.65 V under load', [powered(200), high], { resistor: { ohms: 25 } }, 4650],
  ['high-voltage', '30 V at a digital input', [mode('digital', PIN)], { source: { volts: 30, ohms: 10_000 } }, 5000],
] as const) {
  const flag = `${name.replace('-', '_')}_alert`
  bench(name, `${does} raises ${flag}, and disables the pin`, ...first, async (device) => {
    await device.read(`io:notification/${PIN}`)
    await connect(device, to)
    if (millivolt < 5000) await apply(device, '5v0', 'offset_millivolt', millivolt)
    await device.wait(EVENT_MS)
    const seen = await device.read(`io:notification/${PIN}`)
    await disconnect(device)
    await calm(device)
    equal(seen[flag], true, flag)
    await device.wait(EVENT_MS)
    const { pin_type: type, value } = await device.pin({ base: device.base('io'), pin: PIN })
    that(type === 'voltage_millivolt' && value < 500, 'an analog input that nothing drives', { type, value })
  })
}

power('protections', 'A protection counter increases on its event')
const log = (device: Device) => device.read('power:protectionlog')
const settled = [calm, restarted, wait(1500)]
const limited = [calm, set('power:limits', limitsOf(2050, 2050, 520))]
/** A counter stays, or counts and the sum with it, after what `provoke` does. */
const counts = (name: string, isCounted: boolean, provoke: (device: Device) => Promise<unknown>) =>
  step(`${name} ${isCounted ? 'counts, and the sum with it' : 'stays'}`, async (device) => {
    const before = (await log(device))[name]
    await provoke(device)
    const stays = isCounted ? undefined : (await log(device))[name]
    for (const each of isCounted ? settled : [calm]) await each(device)
    if (!isCounted) return equal(stays, before, name)
    that(Number((await log(device))[name]) > Number(before), `${name} above ${String(before)}`)
    await addsUp(device)
  })
for (const [name, rail, field, within, outside] of [
  ['ovp_cnt_3v3', '3v3', 'offset_millivolt', 3430, 3460],
  ['uvp_cnt_3v3', '3v3', 'offset_millivolt', 3250, 3220],
  ['ovp_cnt_5v0', '5v0', 'offset_millivolt', 5192, 5222],
  ['uvp_cnt_5v0', '5v0', 'offset_millivolt', 4618, 4588],
  ['ovp_cnt_12v', '12v', 'offset_millivolt', 12_750, 12_800],
  ['uvp_cnt_12v', '12v', 'offset_millivolt', 11_320, 11_270],
  ['ocp_cnt_3v3', '3v3', 'load_milliampere', 1800, 2100],
  ['ocp_cnt_5v0', '5v0', 'load_milliampere', 1800, 2100],
  ['ocp_cnt_12v', '12v', 'load_milliampere', 500, 550],
] as const) {
  const at = (value: number) => (device: Device) => apply(device, rail, field, value)
  const unit = field === 'load_milliampere' ? 'mA' : 'mV'
  bench(`${name}-inside`, `at ${within} ${unit} ${name} stays`, ...limited, counts(name, false, at(within)))
  bench(
    `${name}-beyond`,
    `at ${outside} ${unit} ${name} counts, and the sum with it`,
    ...limited,
    counts(name, true, at(outside)),
  )
}
/** Loads all rails to a part of source_total. */
const overload = (part: number) => async (device: Device) => {
  let left = Number((await device.read('power:source'))['source_total']) * part
  for (const [rail, volts, most] of [
    ['12v', 12, 2200],
    ['5v0', 5, 4500],
    ['3v3', 3.3, 5000],
  ] as const) {
    const load_milliampere = Math.min(most, Math.floor(left / volts))
    left -= load_milliampere * volts
    await device.bench('rail', { rail, load_milliampere })
  }
  await device.wait(50)
}
const total = 'total_power_overload'
bench('total-inside', calm, set('power:limits', highest), counts(total, false, overload(0.9)))
bench('total-beyond', calm, set('power:limits', highest), counts(total, true, overload(1.2)))
bench('heat', 'above 125 degrees pmc_temperature counts, and below it stays', async (device) => {
  const before = Number((await log(device))['pmc_temperature'])
  const { ambient_celsius: ambient } = await device.read('/slotwire/bench/surroundings')
  for (const celsius of [60, 125]) {
    await device.bench('ambient', { celsius })
    await device.bench('rail', { rail: '12v', load_milliampere: 500 })
    await device.wait(60_000)
    if (celsius < 125) equal((await log(device))['pmc_temperature'], before, 'pmc_temperature')
  }
  await device.bench('ambient', { celsius: ambient })
  await calm(device)
  await device.wait(60_000)
  await device.restarted()
  that(Number((await log(device))['pmc_temperature']) > before, `pmc_temperature above ${before}`)
})
bench('factory', 'the factory reset command clears all counters', calm, async (device) => {
  await device.bench('factory_reset', { slot: device.slots('power')[0] })
  await device.wait(1000)
  await device.restarted()
  for (const [name, value] of Object.entries(await log(device))) equal(value, 0, name)
})

root('dead-module', 'Only usable modules are listed; a session changes when its module may have lost its state')
/** Takes the last io module away and back: it must leave the list, and come back with a new session. */
for (const [name, does, take, give, isAbsent] of [
  ['hangs', 'hangs', ['fault', { hang: {}, ...AS }], ['clear_faults', { of: AS.as }], false],
  ['unplugged', 'is unplugged', ['unplug', {}], ['plug', { module: 'io' }], true],
] as const)
  bench(
    name,
    `a module that ${does} is not listed and answers an error; when it is back its session is new, and no other`,
    async (device) => {
      const slot = device.slots('io').at(-1)
      if (slot === undefined) throw new Unjudged('the device has no io module')
      const before = await device.sessions('io')
      await device.bench(take[0], { slot, ...take[1] })
      await device.wait(3000)
      const gone = await device.sessions('io')
      const { status } = await device.get(`${device.base('io', slot)}/input/values`)
      await device.bench(give[0], 'of' in give[1] ? give[1] : { slot, ...give[1] })
      await device.wait(3000)
      const back = await device.sessions('io')
      that(!gone.slots.has(slot), `no slot ${slot} in the list`)
      that(isAbsent ? status === 404 : status >= 400, 'an error', status)
      that(back.slots.has(slot) && back.slots.get(slot) !== before.slots.get(slot), `a new session of slot ${slot}`)
      for (const { slots } of [before, back]) (slots as Map<number, unknown>).delete(slot)
      equal(back, before, 'the other sessions')
    },
  )

const shutdown: Endpoint = { effect: 'bench', path: 'bmc:watchdog/sw_shutdown_timeout', body: { timeout: 60_000 } }
watchdog('shutdown-timeout', 'shutdown_timeout is 10000 to 600000 ms, and is stored persistently')
body(shutdown)
ok(shutdown)
inside(shutdown, 'timeout', 10_000, 600_000, 60_000)
beyond(shutdown, 'timeout', 9999, 600_001, 0)
const stored = shows('bmc:watchdog', { shutdown_timeout: 54_321 })
bench('stored', set(shutdown.path, { timeout: 54_321 }), stored, ...hardReset, stored)
watchdog('watchdog-save', 'GET watchdog/save stores the timeout persistently')
const save = shows('bmc:watchdog/save', { status: 'success' })
const saved = (timeout: number) => [set('bmc:watchdog', { timeout }), save, ...hardReset, shows('bmc:watchdog', { timeout })]
bench('stored', ...saved(432_000), ...saved(0))

usb('usb-applied', 'A change of hub or port is applied by usbhub/reset')
for (const [name, path, field] of [
  ['hub', 'bmc:usbhub', 'hub_state'],
  ['slot', 'bmc:usbhub/slot/4', 'port_slot_4'],
] as const) {
  body({ effect: 'bench', path, body: { state: true } })
  bench(name, `POST ${path} shows in ${field} after usbhub/reset, and not before`, async (device) => {
    for (const state of [false, true]) {
      const before = (await device.read('bmc:usbhub'))[field]
      const [earlier, later] = [before, state ? 'enabled' : 'disabled'].map((word) => shows('bmc:usbhub', { [field]: word }))
      for (const each of [done(path, { state }), earlier, done('bmc:usbhub/reset', RESET), wait(3000), later])
        await each?.(device)
    }
  })
}
bench('attached', 'a device on a port is listed with its slot and its texts', async (device) => {
  await device.bench('usb_attach', { slot: 5, manufacturer: 'Conform', product: 'Probe', serial_code: 'C-1' })
  await device.wait(3000)
  const { devices } = await device.read('bmc:usbhub/devices')
  await device.bench('usb_detach', { slot: 5 })
  const found = (devices as { serial_code?: unknown }[]).find((one) => one.serial_code === 'C-1')
  hasShape(found, { slot: [5], manufacturer: ['Conform'], product: ['Probe'], system_path: 'text' }, 'device')
})

const bootloader: Endpoint = { effect: 'bench', path: 'bmc:usb_bootloader', body: { enabled: true, timeout: 1000 } }
const disarmed = { enabled: false, timeout: 0 }
usbBoot('bootloader', 'The bootloader is armed until the next reset, and ends after 90 s without a host')
body(bootloader)
ok({ ...bootloader, body: disarmed })
inside(bootloader, 'timeout', 3_600_000)
beyond(bootloader, 'timeout', 3_600_001, -1)
const armed = [set(bootloader.path, disarmed), set(bootloader.path, { enabled: true, timeout: 60_000 }), wait(5000)]
const answers = step('GET /api/bmc/ answers 200', (device) => device.read('/api/bmc/'))
const away = 'armed, nothing happens; after hard_reset the device is away for 90 s, and then back'
bench('window', away, ...armed, answers, set('bmc:hard_reset', RESET), wait(80_000), async (device) => {
  const { status } = await device.get('/api/bmc/')
  await device.wait(20_000)
  await device.restarted()
  that(status >= 500, 'an error while the bootloader waits', status)
})

export const benchSentences = list
