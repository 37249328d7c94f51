import { collect } from '../check.ts'
import { type Device, EVENT_MS } from '../device.ts'
import { equal, hasShape, that, Unjudged } from '../expect.ts'
import { bootloader, shutdownTimeout } from './bmc.ts'
import { bodyChecks, bounds, okBody } from './bodies.ts'
import { supply } from './io.ts'
import { counters } from './power.ts'
import { basicReset } from './reset.ts'

const { list, section, add, bench } = collect()
const modes = section('IO pin modes')
const io = section('IO service')
const power = section('Power module resources')
const watchdog = section('BMC watchdog')
const usb = section('BMC USB hub')
const usbBoot = section('USB bootloader')
const root = section('Version and device list')
type Alert = 'under_voltage_alert' | 'high_voltage_alert' | 'high_current_alert'

/** A pin of the first io module, without wiring. */
const PIN = 2

/** Drives the pin high, connects something to it, and reads which alerts come. */
const provokes = (name: Alert, to: object) => async (device: Device) => {
  const base = device.base('io')
  const pin = `${device.slots('io')[0]}/${PIN}`
  await device.set(`${base}/power-management`, supply('5_volt', 50))
  if (name === 'high_voltage_alert') await device.set(`${base}/input/mode`, { pin: PIN, mode: 'digital' })
  else await device.set(`${base}/output/state`, { pin: PIN, state: 'high' })
  await device.read(`${base}/notification/${PIN}`)
  const { name: connection } = await device.bench('connect', { pin, to })
  await device.wait(EVENT_MS)
  const seen = await device.read(`${base}/notification/${PIN}`)
  await device.bench('disconnect', { of: connection })
  equal(seen[name], true, name)
  await device.wait(EVENT_MS)
  const { pin_type: type, value } = await device.pin({ base, pin: PIN })
  that(type === 'voltage_millivolt' && value < 500, 'an analog input that nothing drives', { type, value })
}

const log = (device: Device) => device.read('power:protectionlog')
/** Loads and offsets of a rail inside and beyond what its counter protects. */
const rail = (name: string, field: 'load_milliampere' | 'offset_millivolt', inside: number, beyond: number) =>
  ({ rail: name, field, inside, beyond }) as const
const provoked: Readonly<Record<string, ReturnType<typeof rail>>> = {
  ovp_cnt_3v3: rail('3v3', 'offset_millivolt', 3430, 3460),
  uvp_cnt_3v3: rail('3v3', 'offset_millivolt', 3250, 3220),
  ovp_cnt_5v0: rail('5v0', 'offset_millivolt', 5192, 5222),
  uvp_cnt_5v0: rail('5v0', 'offset_millivolt', 4618, 4588),
  ovp_cnt_12v: rail('12v', 'offset_millivolt', 12_750, 12_800),
  uvp_cnt_12v: rail('12v', 'offset_millivolt', 11_320, 11_270),
  ocp_cnt_3v3: rail('3v3', 'load_milliampere', 1800, 2100),
  ocp_cnt_5v0: rail('5v0', 'load_milliampere', 1800, 2100),
  ocp_cnt_12v: rail('12v', 'load_milliampere', 500, 550),
}
const calm = async (device: Device) => {
  for (const name of ['3v3', '5v0', '12v']) await device.bench('rail', { rail: name, load_milliampere: 0, offset_millivolt: 0 })
}
/** Sets a rail to a voltage, or to a current below the limit of 2050 or 520 mA. */
const apply = async (device: Device, { rail: name, field }: ReturnType<typeof rail>, value: number) => {
  const stats = await device.read('power:stats')
  const now = Number(stats[`${field === 'load_milliampere' ? 'current' : 'voltage'}_${name}`])
  await device.bench('rail', { rail: name, [field]: value - now })
  await device.wait(50)
}
io('cache-second', 'A value is cached for 1 second, and no-cache bypasses the cache')
for (const [path, what] of [
  ['input/values', 'voltage'],
  ['input/values/current', 'current'],
] as const)
  bench(
    what,
    `a change is not seen by a plain read of ${path} after 900 ms; by one with no-cache, and by one after 1.1 s, it is`,
    async (device) => {
      const base = device.base('io')
      const pin = `${device.slots('io')[0]}/${PIN}`
      const at = async (headers: Readonly<Record<string, string>>) => {
        const { pins } = await device.read(`${base}/${path}`, headers)
        return (pins as { pin: number; value: number }[]).find((one) => one.pin === PIN)?.value
      }
      await device.set(`${base}/power-management`, supply('5_volt', 100))
      if (what === 'current') await device.set(`${base}/output/state`, { pin: PIN, state: 'high' })
      const change = (ohms: number) =>
        device.bench('connect', {
          pin,
          to: what === 'current' ? { resistor: { ohms } } : { source: { volts: ohms / 100, ohms: 100 } },
          as: 'conform',
        })
      const disconnect = () => device.bench('disconnect', { of: 'conform' })
      await change(500)
      try {
        await device.wait(1100)
        const before = await at({})
        await disconnect()
        await change(200)
        await device.wait(900)
        equal(await at({}), before, 'a plain read after 900 ms')
        const fresh = await at({ 'cache-control': 'no-cache' })
        that(fresh !== before, 'a new value with no-cache', fresh)
        await disconnect()
        await change(400)
        await device.wait(1100)
        const later = await at({})
        that(later !== fresh && later !== before, 'a new value after 1.1 s', later)
      } finally {
        await disconnect()
      }
    },
  )

modes('alerts', 'An alert of an error disables the pin, which falls back to analog input')
bench('high-current', 'a short circuit raises high_current_alert', provokes('high_current_alert', { short: {} }))
bench('under-voltage', 'a pin that is pulled low raises under_voltage_alert', provokes('under_voltage_alert', { short: {} }))
bench(
  'high-voltage',
  '30 V at a digital input raise high_voltage_alert',
  provokes('high_voltage_alert', { source: { volts: 30, ohms: 10_000 } }),
)

power('protections', 'A protection counter increases on its event')
for (const [name, event] of Object.entries(provoked)) {
  bench(`${name}-inside`, `just inside its limit ${name} stays`, async (device) => {
    await calm(device)
    await device.set('power:limits', { limit_3v3: 2050, limit_5v0: 2050, limit_12v: 520 })
    const before = (await log(device))[name]
    await apply(device, event, event.inside)
    const after = (await log(device))[name]
    await calm(device)
    equal(after, before, name)
  })
  bench(`${name}-beyond`, `beyond its limit ${name} counts, and the sum with it`, async (device) => {
    await calm(device)
    await device.set('power:limits', { limit_3v3: 2050, limit_5v0: 2050, limit_12v: 520 })
    const before = await log(device)
    await apply(device, event, event.beyond)
    await calm(device)
    await device.restarted()
    await device.wait(1500)
    const after = await log(device)
    that(Number(after[name]) > Number(before[name]), `${name} above ${String(before[name])}`, after[name])
    equal(
      after['opp_protection_cnt'],
      counters.reduce((sum, one) => sum + Number(after[one]), 0),
      'opp_protection_cnt',
    )
  })
}
bench('total-inside', 'below source_total total_power_overload stays', (device) => overload(device, 0.9, false))
bench('total-beyond', 'above source_total total_power_overload counts', (device) => overload(device, 1.2, true))
bench('heat', 'above 125 degrees pmc_temperature counts, and stays below', async (device) => {
  const before = Number((await log(device))['pmc_temperature'])
  for (const [celsius, isHot] of [
    [60, false],
    [125, true],
  ] as const) {
    await device.bench('ambient', { celsius })
    await device.bench('rail', { rail: '12v', load_milliampere: 500 })
    await device.wait(60_000)
    const seen = (await device.get('power:protectionlog')).body as { pmc_temperature?: number } | undefined
    if (!isHot) equal(seen?.pmc_temperature, before, 'pmc_temperature')
  }
  await device.bench('ambient', { celsius: 25 })
  await calm(device)
  await device.wait(60_000)
  await device.restarted()
  that(Number((await log(device))['pmc_temperature']) > before, `pmc_temperature above ${before}`)
})
bench('factory', 'the factory reset command clears all counters', async (device) => {
  await calm(device)
  await device.bench('factory_reset', { slot: device.slots('power')[0] })
  await device.wait(1000)
  await device.restarted()
  for (const [name, value] of Object.entries(await log(device))) equal(value, 0, name)
})

root('dead-module', 'Only usable modules are listed; a session changes when its module may have lost its state')
bench(
  'hangs',
  'a module that hangs is not listed and answers no values; when it is back its session is new, and no other',
  async (device) => {
    const slot = device.slots('io').at(-1)
    if (slot === undefined) throw new Unjudged('the device has no io module')
    const before = await device.sessions('io')
    await device.bench('fault', { slot, hang: {} })
    await device.wait(3000)
    const gone = await device.sessions('io')
    const { status } = await device.get(`${device.base('io', slot)}/input/values`)
    await device.bench('clear_faults', { of: 'all' })
    await device.wait(3000)
    const back = await device.sessions('io')
    that(!gone.slots.has(slot), `no slot ${slot} in the list`)
    that(status >= 400, 'an error', status)
    that(back.slots.has(slot) && back.slots.get(slot) !== before.slots.get(slot), `a new session of slot ${slot}`)
    equal(
      [back.driver, back.slots.get(device.slots('io')[0] ?? -1)],
      [before.driver, before.slots.get(device.slots('io')[0] ?? -1)],
      'the other sessions',
    )
  },
)
bench('unplugged', 'an unplugged module is not listed and answers 404; plugged again it has a new session', async (device) => {
  const slot = device.slots('io').at(-1)
  if (slot === undefined) throw new Unjudged('the device has no io module')
  const before = await device.sessions('io')
  await device.bench('unplug', { slot })
  await device.wait(1000)
  const gone = await device.sessions('io')
  const { status } = await device.get(`${device.base('io', slot)}/input/values`)
  await device.bench('plug', { slot, module: 'io' })
  await device.wait(3000)
  const back = await device.sessions('io')
  that(!gone.slots.has(slot), `no slot ${slot} in the list`)
  equal(status, 404, 'GET input/values')
  that(back.slots.has(slot) && back.slots.get(slot) !== before.slots.get(slot), `a new session of slot ${slot}`)
  equal(back.driver, before.driver, 'driver_session')
})

watchdog('shutdown-timeout', 'shutdown_timeout is 10000 to 600000 ms, and is stored persistently')
add(...bodyChecks('bench', 'sw_shutdown_timeout', shutdownTimeout))
add(okBody('bench', 'sw_shutdown_timeout', shutdownTimeout))
add(
  ...bounds('bench', 'sw_shutdown_timeout', 'timeout', shutdownTimeout, {
    accepts: [10_000, 600_000, 60_000],
    refuses: [9999, 600_001, 0],
  }),
)
bench('stored', 'it is the same after hard_reset', async (device) => {
  await device.set('bmc:watchdog/sw_shutdown_timeout', { timeout: 54_321 })
  equal((await device.read('bmc:watchdog'))['shutdown_timeout'], 54_321, 'shutdown_timeout')
  await device.set('bmc:hard_reset', basicReset)
  await device.restarted()
  equal((await device.read('bmc:watchdog'))['shutdown_timeout'], 54_321, 'shutdown_timeout after hard_reset')
})

watchdog('watchdog-save', 'GET watchdog/save stores the timeout persistently')
bench('stored', 'a saved timeout is the same after hard_reset, and 0 after 0 was saved', async (device) => {
  for (const timeout of [432_000, 0]) {
    await device.set('bmc:watchdog', { timeout })
    equal(await device.read('bmc:watchdog/save'), { status: 'success' }, 'GET watchdog/save')
    await device.set('bmc:hard_reset', basicReset)
    await device.restarted()
    equal((await device.read('bmc:watchdog'))['timeout'], timeout, 'timeout after hard_reset')
  }
})

usb('usb-applied', 'A change of hub or port is applied by usbhub/reset')
add(...bodyChecks('bench', 'usbhub', () => ({ path: 'bmc:usbhub', body: { state: true } })))
add(...bodyChecks('bench', 'usbhub/slot', () => ({ path: 'bmc:usbhub/slot/4', body: { state: true } })))
for (const [name, path, field] of [
  ['hub', 'usbhub', 'hub_state'],
  ['slot', 'usbhub/slot/4', 'port_slot_4'],
] as const)
  bench(name, `POST ${path} shows in ${field} after usbhub/reset, and not before`, async (device) => {
    const state = async () => (await device.read('bmc:usbhub'))[field]
    for (const [isOn, word] of [
      [false, 'disabled'],
      [true, 'enabled'],
    ] as const) {
      const before = await state()
      equal(await device.set(`bmc:${path}`, { state: isOn }), { status: 'success' }, `POST ${path}`)
      equal(await state(), before, `${field} before the reset`)
      equal(await device.set('bmc:usbhub/reset', basicReset), { status: 'success' }, 'POST usbhub/reset')
      await device.wait(3000)
      equal(await state(), word, field)
    }
  })
bench('attached', 'a device on a port is listed with its slot and its texts', async (device) => {
  const texts = { manufacturer: 'Conform', product: 'Probe', serial_code: 'C-1' }
  await device.bench('usb_attach', { slot: 5, ...texts })
  await device.wait(3000)
  const { devices } = await device.read('bmc:usbhub/devices')
  await device.bench('usb_detach', { slot: 5 })
  hasShape(
    (devices as { serial_code?: unknown }[]).find((one) => one.serial_code === 'C-1'),
    { slot: [5], manufacturer: ['Conform'], product: ['Probe'], system_path: 'text' },
    'device',
  )
})

usbBoot('bootloader', 'The bootloader is armed until the next reset, and ends after 90 s without a host')
add(...bodyChecks('bench', 'usb_bootloader', bootloader))
add(okBody('bench', 'usb_bootloader', () => ({ path: 'bmc:usb_bootloader', body: { enabled: false, timeout: 0 } })))
add(...bounds('bench', 'usb_bootloader', 'timeout', bootloader, { accepts: [3_600_000], refuses: [3_600_001, -1] }))
bench('window', 'armed, nothing happens; after hard_reset the device is away for 90 s, and then back', async (device) => {
  await device.set('bmc:usb_bootloader', { enabled: false, timeout: 0 })
  await device.set('bmc:usb_bootloader', { enabled: true, timeout: 60_000 })
  await device.wait(5000)
  equal((await device.get('/api/bmc/')).status, 200, 'GET /api/bmc/ while it is armed')
  await device.set('bmc:hard_reset', basicReset)
  await device.wait(80_000)
  const { status } = await device.get('/api/bmc/')
  await device.wait(20_000)
  await device.restarted()
  that(status >= 500, 'an error while the bootloader waits', status)
})

export const benchSentences = list

/** Loads all rails evenly to a part of source_total. */
async function overload(device: Device, part: number, isCounted: boolean): Promise<void> {
  await calm(device)
  await device.set('power:limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 })
  const [before, source] = [await log(device), await device.read('power:source')]
  const volts = { '3v3': 3.3, '5v0': 5, '12v': 12 } as const
  const most = { '3v3': 5000, '5v0': 4500, '12v': 2200 } as const
  let left = Number(source['source_total']) * part
  for (const name of ['12v', '5v0', '3v3'] as const) {
    const milliampere = Math.min(most[name], Math.floor(left / volts[name]))
    left -= milliampere * volts[name]
    await device.bench('rail', { rail: name, load_milliampere: milliampere })
  }
  await device.wait(50)
  await calm(device)
  await device.restarted()
  await device.wait(1500)
  const count = Number((await log(device))['total_power_overload'])
  if (isCounted) that(count > Number(before['total_power_overload']), 'total_power_overload to count', count)
  else equal(count, before['total_power_overload'], 'total_power_overload')
}
