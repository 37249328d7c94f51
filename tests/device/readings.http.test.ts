import { allServices } from '@slotwire/device'
import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'
import { figures, scrape } from './metrics.testkit.ts'

const STALE_MS = 300_000
/** The journal reads some values a second after the start, and every ten seconds. */
const FIRST_MS = 1000
const BEFORE_NEXT_MS = 8000
const GET_VALUES = '030106'
const AGE = 'slotwire_reading_age_seconds'
const ageOfValues = 'slot=5,service=io,endpoint=getInputValues'
/** Endpoints with readings, for the four modules of the default device. */
const WATCHED = allServices.flatMap(({ contract, readings = {} }) =>
  Object.keys(readings).flatMap(() => contract.defaultSlots),
).length

it.each(allServices.map((service) => [service.contract.service, service] as const))(
  'the readings of each module type %s: come from endpoints that only read, in one job and without parameters',
  (_, { contract, handlers, readings = {} }) => {
    expect(Object.keys(readings)).not.toEqual([])
    for (const name of Object.keys(readings)) {
      expect(contract.endpoints[name]).toMatchObject({ method: 'GET', effect: 'read' })
      expect(contract.endpoints[name]?.parameters).toBeUndefined()
      expect(handlers[name]?.kind).toBe('bus')
    }
  },
)

describeDevice('readings in the metrics', (device) => {
  it('are not made without a scrape', async () => {
    await device.advance(FIRST_MS)
    const before = device.bus.count
    await device.advance(BEFORE_NEXT_MS)
    expect(device.bus.count).toBe(before)
  })

  it('are not made for HEAD, which is no scrape', async () => {
    const before = device.bus.count
    expect((await device.service.inject({ method: 'HEAD', url: '/slotwire/metrics' })).statusCode).toBe(200)
    await device.advance(FIRST_MS / 2)
    expect(device.bus.count).toBe(before)
  })

  it('are made after the first scrape, and reported by the next one', async () => {
    expect(await figures(device, AGE)).toEqual({})
    await device.advance(4000)
    const ages = Object.values(await figures(device, AGE))
    expect(ages).toEqual(Array(WATCHED).fill(4))
    expect(await figures(device, 'slotwire_io_pin_volts')).toMatchObject({ 'slot=5,pin=3': 3.27, 'slot=3,pin=1': 0 })
  })

  it('are renewed after a scrape with values older than five seconds, and only then', async () => {
    await scrape(device)
    await device.advance(4999)
    const before = device.bus.count
    await scrape(device)
    await device.advance(1)
    expect(device.bus.count).toBe(before)
    await scrape(device)
    await device.advance(1)
    expect(device.bus.count).toBeGreaterThan(before)
    const after = device.bus.count
    await device.advance(BEFORE_NEXT_MS - 5000)
    expect(device.bus.count).toBe(after)
  })

  it('are the latest of any client, and then not made again', async () => {
    await device.module('io', 5).read('input/values')
    await device.advance(3000)
    const reads = () => device.bus.exchanges(5).filter((payload) => payload === GET_VALUES).length
    expect(await figures(device, AGE)).toEqual({ [ageOfValues]: 3 })
    expect(await figures(device, 'slotwire_io_pin_volts')).toMatchObject({ 'slot=5,pin=3': 3.27 })
    await device.advance(100)
    expect(reads()).toBe(1)
  })

  it('disappear after five minutes without a new one', async () => {
    await device.module('io', 5).read('input/values')
    await device.advance(STALE_MS - 1)
    device.bus.hold(5)
    expect(await figures(device, AGE)).toMatchObject({ [ageOfValues]: (STALE_MS - 1) / 1000 })
    await device.advance(1)
    expect(await figures(device, AGE)).not.toHaveProperty([ageOfValues])
    device.bus.release(5)
  })

  it('disappear with their module, and do not return with it', async () => {
    await device.module('io', 5).read('input/values')
    const values = () => figures(device, 'slotwire_io_pin_volts').then(Object.keys)
    expect(await values()).toHaveLength(6)
    await device.post('/api/bmc/1.0/0/hard_reset', { reset: 'yes' })
    await device.advance(100)
    expect(await figures(device, AGE)).toEqual({})
    await device.advance(6000)
    expect((await device.get('/api/io/1.0/5/descriptor')).status).toBe(200)
    expect(await values()).toEqual([])
  })

  it('change no cache: a client gets the same answer as without them', async () => {
    const { headers } = await device.module('io', 5).get('input/values')
    await scrape(device)
    await device.advance(500)
    expect((await device.module('io', 5).get('input/values')).headers['age']).toBe(headers['age'])
    expect(device.bus.exchanges(5).filter((payload) => payload === GET_VALUES)).toHaveLength(1)
  })
})

describeDevice('readings of a supply and a mainboard', (device) => {
  it('are in base units, checked by hand', async () => {
    const power = device.module('power', 1)
    const bmc = device.module('bmc', 0)
    await power.set('fan/rpm', { measurement_enabled: true })
    await bmc.set('watchdog', { timeout: 90_000 })
    const stats = await power.read('stats')
    const source = await power.read('source')
    const { rpm } = await power.read('fan/rpm')
    await power.read('temperature')
    await power.read('protectionlog')
    await device.advance(2000)
    const { timeout_left: left } = await bmc.read('watchdog')
    const { voltage_rtc: battery } = await bmc.read('voltage')
    expect(await figures(device, 'slotwire_power_rail_volts')).toMatchObject({
      'slot=1,rail=12v': Number(stats['voltage_12v']) / 1000,
    })
    expect(await figures(device, 'slotwire_power_rail_amperes')).toMatchObject({
      'slot=1,rail=3v3': Number(stats['current_3v3']) / 1000,
    })
    expect(await figures(device, 'slotwire_power_rail_limit_amperes')).toMatchObject({ 'slot=1,rail=5v0': 4.949 })
    expect(await figures(device, 'slotwire_power_available_watts')).toEqual({ 'slot=1': Number(source['source_total']) / 1000 })
    expect(await figures(device, 'slotwire_power_fan_rpm')).toEqual({ 'slot=1': rpm })
    expect(await figures(device, 'slotwire_power_protection_trips_total')).toHaveProperty(
      ['slot=1,cause=total_overload,rail=all'],
      0,
    )
    expect(left).toBe(88_000)
    expect(await figures(device, 'slotwire_bmc_watchdog_left_seconds')).toEqual({ 'slot=0': 88 })
    expect(await figures(device, 'slotwire_bmc_watchdog_timeout_seconds')).toEqual({ 'slot=0': 90 })
    expect(await figures(device, 'slotwire_bmc_volts')).toMatchObject({ 'slot=0,source=rtc': Number(battery) / 1000 })
    expect(await figures(device, 'slotwire_bmc_emergency_mode')).toEqual({ 'slot=0': 0 })
  })

  it('omit the fan while its speed is not measured', async () => {
    await device.module('power', 1).read('fan/rpm')
    expect(await figures(device, 'slotwire_power_fan_rpm')).toEqual({})
  })
})

describeDevice('readings of pins', (device) => {
  it('have the name of the quantity in the pin’s mode', async () => {
    const io = device.module('io', 5)
    await io.set('input/mode', { pin: 3, mode: 'digital' })
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 4, state: 'enabled' })
    await device.advance(2000)
    await io.read('input/values')
    await io.read('input/values/current')
    expect(await figures(device, 'slotwire_io_pin_level')).toEqual({ 'slot=5,pin=3': 1 })
    expect(await figures(device, 'slotwire_io_pin_hertz')).toEqual({ 'slot=5,pin=4': 100 })
    const analog = Object.keys(await figures(device, 'slotwire_io_pin_volts')).filter((labels) => labels.startsWith('slot=5'))
    expect(analog).toEqual([1, 2, 5, 6].map((pin) => `slot=5,pin=${pin}`))
    expect(await figures(device, 'slotwire_io_pin_amperes')).toMatchObject({ 'slot=5,pin=1': 0, 'slot=5,pin=6': 0 })
  })
})
