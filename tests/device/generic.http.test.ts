import { readFileSync } from 'node:fs'
import { modeBootloader } from '@slotwire/sdbp'
import { expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { describeDevice } from './device.testkit.ts'

const version = (major: number, minor: number, patch: number) => ({ major, minor, patch })
const SESSION = /^[A-Z0-9]{64}$/

interface Listed {
  readonly driver_session: string
  readonly version: Record<string, unknown>
  readonly devices: readonly { slot_number: number; sdbp_version: unknown; device_session: string }[]
}

describeDevice('GET / of a service', (device) => {
  const list = async (service: string) => (await device.get(`/api/${service}/1.0/`)).body as Partial<Listed> as Listed

  it('lists the usable modules of this service by slot number, with versions and sessions of 64 letters and digits', async () => {
    const { driver_session, version: versions, devices } = await list('io')
    expect(driver_session).toMatch(SESSION)
    expect(versions).toEqual({
      api: version(1, 0, 0),
      service: version(1, 0, 0),
      module_driver: version(1, 0, 0),
      kernel_driver: version(1, 3, 0),
    })
    expect(devices.map(({ slot_number, sdbp_version }) => [slot_number, sdbp_version])).toEqual([
      [3, version(1, 0, 0)],
      [5, version(1, 0, 0)],
    ])
    for (const { device_session } of devices) expect(device_session).toMatch(SESSION)
    expect(new Set([driver_session, ...devices.map(({ device_session }) => device_session)]).size).toBe(3)
    expect((await list('bmc')).devices.map(({ slot_number }) => slot_number)).toEqual([0])
    expect((await list('power')).devices.map(({ slot_number }) => slot_number)).toEqual([1])
  })

  it.each(['/api/io', '/api/io/', '/api/io/1.0', '/api/io/1.0/', '/api/io/1.7/', '/api/io/1.4294967296'])(
    'responds at %s',
    async (url) => {
      const { status, headers } = await device.get(url)
      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    },
  )

  it('leaves the version of Slotwire to /slotwire/ and the Server header', async () => {
    const { status, body, headers } = await device.get('/slotwire/')
    const own = JSON.parse(readFileSync(new URL('../../apps/cli/package.json', import.meta.url), 'utf8')) as { version: string }
    expect([status, body]).toEqual([200, { name: 'slotwire', version: own.version }])
    expect(headers['server']).toBe(`Slotwire/${own.version}`)
    expect((await device.get('/nowhere')).headers['server']).toBe(`Slotwire/${own.version}`)
  })

  it('keeps the sessions between requests, and has one driver session for all services', async () => {
    const first = await list('io')
    await device.advance(60_000)
    expect(await list('io')).toEqual(first)
    expect((await list('bmc')).driver_session).toBe(first.driver_session)
  })

  it('has new sessions after a start of the service', async () => {
    const before = await list('io')
    await device.stopService()
    await device.startService()
    const after = await list('io')
    expect(after.driver_session).not.toBe(before.driver_session)
    expect(after.devices.map(({ slot_number }) => slot_number)).toEqual([3, 5])
    for (const [index, { device_session }] of after.devices.entries()) {
      expect(device_session).not.toBe(before.devices[index]?.device_session)
    }
  })

  it('omits an unplugged module, and lists it with a new session when it is plugged again', async () => {
    const before = await list('io')
    device.chassis.unplug(5)
    await device.advance(10)
    expect((await list('io')).devices.map(({ slot_number }) => slot_number)).toEqual([3])
    expect((await device.get('/api/io/1.0/5/input/values')).body).toMatchObject({ status: 'error', code: 404 })
    expect((await device.get('/api/io/1.0/5/input/values')).body?.['message']).toMatch(/^slot 5 holds no usable io module/)
    device.chassis.plug(5, firmwares.io)
    await device.advance(1000)
    const after = await list('io')
    expect(after.devices[0]).toEqual(before.devices[0])
    expect(after.devices[1]?.device_session).toMatch(SESSION)
    expect(after.devices[1]?.device_session).not.toBe(before.devices[1]?.device_session)
    expect(after.driver_session).toBe(before.driver_session)
    expect((await device.get('/api/io/1.0/5/input/values')).status).toBe(200)
  })

  it('fails running requests to an unplugged module with 404', async () => {
    device.bus.hold(5)
    const answers = [
      device.get('/api/io/1.0/5/input/values'),
      device.module('io', 5).post('input/mode', { pin: 1, mode: 'digital' }),
    ]
    await device.advance(1)
    device.chassis.unplug(5)
    device.bus.release(5)
    await device.advance(10)
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404])
  })

  it('omits a module in bootloader mode, and lists it with a new session when it returns', async () => {
    const before = await list('io')
    const link = await device.chassis.open(5)
    await link.exchange(Uint8Array.of(modeBootloader.classIdentifier, modeBootloader.class, modeBootloader.operation))
    await device.advance(2000)
    expect((await list('io')).devices.map(({ slot_number }) => slot_number)).toEqual([3])
    expect((await device.module('io', 5).get('input/values')).status).toBe(404)
    device.chassis.unplug(5)
    device.chassis.plug(5, firmwares.io)
    await device.advance(2000)
    const after = await list('io')
    expect(after.devices.map(({ slot_number }) => slot_number)).toEqual([3, 5])
    expect(after.devices[1]?.device_session).not.toBe(before.devices[1]?.device_session)
  })

  it('does not mix up services: a slot of another service holds no module', async () => {
    for (const [service, slot] of [
      ['io', 0],
      ['io', 1],
      ['bmc', 1],
      ['bmc', 5],
      ['power', 0],
      ['power', 2],
    ] as const) {
      const { status, body } = await device.get(`/api/${service}/1.0/${slot}/descriptor`)
      expect(status).toBe(404)
      expect(body?.['message']).toBe(`slot ${slot} holds no usable ${service} module: GET /api/${service}/ lists the usable ones`)
    }
  })
})

describeDevice('POST <slot>/reset', (device) => {
  const io = device.module('io', 5)

  it('resets the module to its initial state and keeps the session', async () => {
    const session = await io.session()
    await io.set('power-management', { config: Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 50 })) })
    await io.set('output/state', { pin: 1, state: 'high' })
    await io.set('input/mode', { pin: 2, mode: 'digital' })
    await io.set('reset', { reset: 'yes' })
    const { pins } = await io.read('input/values')
    expect((pins as { pin_type: string }[]).map(({ pin_type }) => pin_type)).toEqual(Array(6).fill('voltage_millivolt'))
    expect((await io.post('output/state', { pin: 1, state: 'high' })).status).toBe(400)
    expect(await io.session()).toBe(session)
  })

  it('drops pending notifications', async () => {
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
    await device.advance(50)
    await io.set('reset', { reset: 'yes' })
    await device.advance(50)
    expect(await io.read('notification/4')).toMatchObject({ custom_voltage_alert: false })
  })

  it('resets only that module', async () => {
    const other = device.module('io', 3)
    await other.set('input/mode', { pin: 1, mode: 'digital' })
    await io.set('reset', { reset: 'yes' })
    expect((await other.read('input/values'))['pins']).toMatchObject([
      { pin: 1, pin_type: 'digital_input', value: 0 },
      {},
      {},
      {},
      {},
      {},
    ])
  })
})

describeDevice('GET <slot>/descriptor', (device) => {
  const common = {
    vendor_name: 'Slotwire',
    fw_version: { stability: 'S', version: version(1, 0, 0) },
    hw_version: version(1, 0, 0),
    protocol_version: version(1, 0, 0),
    bootloader_state: 'supported',
    max_frame_size: 1024,
    max_sclk_speed: 20_000,
  }

  it.each([
    ['io', 5, 'Virtual IO module', 300, 0, 0],
    ['bmc', 0, 'Virtual mainboard controller', 400, 1200, 50],
    ['power', 1, 'Virtual power supply', 250, 150, 150],
  ] as const)('reports what the %s module says about itself', async (service, slot, product, power3v3, power5v0, power12v) => {
    const { serial_code, ...descriptor } = await device.module(service, slot).read('descriptor')
    expect(serial_code).toMatch(/^[0-9A-F]{4}(-[0-9A-F]{4}){7}$/)
    expect(descriptor).toEqual({
      ...common,
      slot_number: slot,
      vendor_product_id: `modules.noreya.tech/${service}`,
      product_name: product,
      max_power_3v3: power3v3,
      max_power_5v0: power5v0,
      max_power_12v: power12v,
    })
  })
})

describeDevice('HEAD', (device) => {
  it.each([
    '/api/io/',
    '/api/io/1.0/5/input/values',
    '/api/io/1.0/5/descriptor',
    '/api/bmc/1.0/0/watchdog',
    '/api/power/1.0/1/fan/rpm',
  ])('responds at %s with the headers of GET and no body', async (url) => {
    const address = `http://127.0.0.1:${await device.listen()}${url}`
    const [head, get] = [await fetch(address, { method: 'HEAD' }), await fetch(address)]
    expect([head.status, await head.text()]).toEqual([200, ''])
    const headersOf = ({ headers }: Response) => ({ ...Object.fromEntries(headers), date: 0, connection: 0, 'keep-alive': 0 })
    expect(headersOf(head)).toEqual(headersOf(get))
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length))
  })

  it.each(['/api/io/1.0/5/notification/1', '/api/bmc/1.0/0/watchdog/alive', '/api/bmc/1.0/0/watchdog/save'])(
    'is not allowed at %s, which would have an effect',
    async (url) => {
      const { status, headers } = await device.send('HEAD', url)
      expect([status, headers['allow']]).toEqual([405, 'GET'])
    },
  )
})

describeDevice('trailing slashes', (device) => {
  it('are accepted everywhere', async () => {
    expect((await device.get('/api/io/1.0/5/input/values/')).status).toBe(200)
    expect((await device.get('/api/io/1.0/5/notification/1/')).status).toBe(200)
    expect((await device.post('/api/io/1.0/5/input/mode/', { pin: 1, mode: 'analog' })).status).toBe(200)
    expect((await device.post('/api/bmc/1.0/0/usbhub/slot/4/', { state: true })).status).toBe(200)
  })
})

describeDevice(
  'a single service (--services io)',
  (device) => {
    it('answers its own paths; the others are unknown', async () => {
      expect((await device.get('/api/io/')).status).toBe(200)
      for (const url of ['/api/bmc/', '/api/power/1.0/1/stats']) {
        expect((await device.get(url)).body).toEqual({ status: 'error', code: 404, message: 'Not Found' })
      }
    })

    it('still uses the power budget of the power module', async () => {
      const config = Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 500 }))
      expect((await device.module('io', 5).post('power-management', { config })).body).toMatchObject({ status: 'denied' })
    })
  },
  { services: ['io'] },
)
