import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

const RESTARTING = { status: 'error', code: 502, message: 'the device is restarting: try again in a few seconds' }
const OFF = { timeout: 0, timeout_left: 0, shutdown_timeout: 60_000, emergency_mode: false }

describeDevice('watchdog', (device) => {
  const bmc = device.module('bmc', 0)
  const io = device.module('io', 5)

  it('resets the device after one second: 502 with the error body on all of /api/, then new sessions and the initial state', async () => {
    const [session, ioSession] = [await bmc.session(), await io.session()]
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    await bmc.set('watchdog', { timeout: 1000 })
    await device.advance(999)
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 1000, timeout_left: 1 })
    await device.advance(20)
    for (const url of [
      '/api/bmc/',
      '/api/io/1.0/5/input/values',
      '/api/io/1.0/99/nothing',
      '/api/power/1.0/1/stats',
      '/api/bmc/9.9/',
    ]) {
      const { status, body, headers } = await device.get(url)
      expect([status, body, headers['content-type']]).toEqual([502, RESTARTING, 'application/json'])
    }
    expect((await io.post('input/mode', { pin: 9 })).status).toBe(502)
    expect((await device.get('/slotwire/livez')).status).toBe(200)
    await device.advance(3100)
    expect(await bmc.read('watchdog')).toEqual(OFF)
    expect(await bmc.session()).toMatch(/^[A-Z0-9]{64}$/)
    expect(await bmc.session()).not.toBe(session)
    expect(await io.session()).toMatch(/^[A-Z0-9]{64}$/)
    expect(await io.session()).not.toBe(ioSession)
    expect((await io.read('input/values'))['pins']).toMatchObject([{ pin_type: 'voltage_millivolt' }, {}, {}, {}, {}, {}])
  })
})

describeDevice('POST hard_reset', (device) => {
  const bmc = device.module('bmc', 0)
  const io = device.module('io', 5)

  it('is answered first; pending requests get 502; then every session is new', async () => {
    const root = async () =>
      (await device.get('/api/io/')).body as { driver_session: string; devices: { device_session: string }[] }
    const before = await root()
    await bmc.set('hard_reset', { reset: 'yes' })
    expect((await device.get('/api/bmc/')).status).toBe(200)
    device.bus.hold(5)
    const underWay = [io.get('input/values'), io.post('input/mode', { pin: 1, mode: 'digital' })]
    await device.advance(20)
    device.bus.release(5)
    const answers = await Promise.all(underWay)
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [502, RESTARTING],
      [502, RESTARTING],
    ])
    await device.advance(2900)
    expect((await device.get('/api/bmc/')).status).toBe(502)
    await device.advance(300)
    const after = await root()
    expect(after.driver_session).not.toBe(before.driver_session)
    expect(after.devices).toHaveLength(2)
    for (const { device_session } of after.devices) {
      expect(before.devices.map((old) => old.device_session)).not.toContain(device_session)
    }
  })

  it('restarts once when it is called twice at the same time', async () => {
    const answers = await Promise.all([bmc.post('hard_reset', { reset: 'yes' }), bmc.post('hard_reset', { reset: 'yes' })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await device.advance(3300)
    const session = await bmc.session()
    await device.advance(5000)
    expect(await bmc.session()).toBe(session)
  })
})
