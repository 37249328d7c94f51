import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

const RESTARTING = { status: 'error', code: 502, message: 'the device is restarting: try again in a few seconds' }
const OFF = { timeout: 0, timeout_left: 0, shutdown_timeout: 60_000, emergency_mode: false }

describeDevice('watchdog', (device) => {
  const bmc = device.module('bmc', 0)
  const io = device.module('io', 5)
  const timeoutLeft = async () => (await bmc.read('watchdog'))['timeout_left']

  it('is off at first, and refuses alive while it is', async () => {
    expect(await bmc.read('watchdog')).toEqual(OFF)
    const { status, body } = await bmc.get('watchdog/alive')
    expect([status, body?.['message']]).toEqual([400, 'the watchdog is off: send POST watchdog with a timeout first'])
  })

  it('counts down when enabled; alive restarts the counter; 0 disables it', async () => {
    await bmc.set('watchdog', { timeout: 1000 })
    await device.advance(600)
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 1000, timeout_left: 400 })
    expect((await bmc.get('watchdog/alive')).body).toEqual({ status: 'success' })
    await device.advance(600)
    expect(await timeoutLeft()).toBe(400)
    await bmc.set('watchdog', { timeout: 0 })
    expect(await bmc.read('watchdog')).toEqual(OFF)
    await device.advance(10_000)
    expect((await device.get('/api/bmc/')).status).toBe(200)
  })

  it.each([0, 1000, 600_000])('accepts %i ms', async (timeout) => {
    await bmc.set('watchdog', { timeout })
    expect(await bmc.read('watchdog')).toMatchObject({ timeout, timeout_left: timeout })
  })

  it.each([1, 999, 600_001, -1])('refuses %i ms', async (timeout) => {
    const { status, body } = await bmc.post('watchdog', { timeout })
    expect(status).toBe(422)
    expect(body?.['message']).toBe(`timeout is out of range: 0, or 1000…600000 ms, not ${timeout}`)
  })

  it('resets the device after one second: 502 with the error body on all of /api/, then new sessions and the initial state', async () => {
    const [session, ioSession] = [await bmc.session(), await io.session()]
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    await bmc.set('watchdog', { timeout: 1000 })
    await device.advance(999)
    expect(await timeoutLeft()).toBe(1)
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

  it('is active again after a restart if it was saved, counting from the start', async () => {
    await bmc.set('watchdog', { timeout: 5000 })
    expect((await bmc.get('watchdog/save')).body).toEqual({ status: 'success' })
    await bmc.set('watchdog', { timeout: 60_000 })
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 5000, timeout_left: 5000 })
    await bmc.set('hard_reset', { reset: 'yes' })
    await device.advance(3200)
    const { timeout, timeout_left: left } = (await bmc.read('watchdog')) as { timeout: number; timeout_left: number }
    expect(timeout).toBe(5000)
    expect(left).toBeGreaterThan(4500)
    await bmc.set('watchdog', { timeout: 0 })
    await bmc.get('watchdog/save')
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toEqual(OFF)
  })

  it('is disabled by a reset if it was not saved', async () => {
    await bmc.set('watchdog', { timeout: 5000 })
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toEqual(OFF)
  })
})

describeDevice('watchdog/shutdown', (device) => {
  const bmc = device.module('bmc', 0)

  it('resets the device after shutdown_timeout', async () => {
    const session = await bmc.session()
    await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 10_000 })
    await bmc.set('watchdog/shutdown', { shutdown: 'start' })
    await device.advance(9990)
    expect((await bmc.read('watchdog'))['shutdown_timeout']).toBe(10_000)
    await device.advance(30)
    expect((await device.get('/api/bmc/')).status).toBe(502)
    await device.advance(3100)
    expect(await bmc.session()).not.toBe(session)
    await device.advance(20_000)
    expect((await device.get('/api/bmc/')).status).toBe(200)
  })

  it('is stopped by a reset', async () => {
    await bmc.set('watchdog/shutdown', { shutdown: 'start' })
    await bmc.set('reset', { reset: 'yes' })
    await device.advance(61_000)
    expect((await device.get('/api/bmc/')).status).toBe(200)
  })

  it('refuses stop: the value must be start', async () => {
    const { status, body } = await bmc.post('watchdog/shutdown', { shutdown: 'stop' })
    expect([status, body?.['message']]).toEqual([422, 'shutdown is not allowed: it must be start, not "stop"'])
  })
})

describeDevice('watchdog/sw_shutdown_timeout', (device) => {
  const bmc = device.module('bmc', 0)

  it('is always stored persistently', async () => {
    await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 600_000 })
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toEqual({ ...OFF, shutdown_timeout: 600_000 })
    await bmc.set('hard_reset', { reset: 'yes' })
    await device.advance(3200)
    expect(await bmc.read('watchdog')).toEqual({ ...OFF, shutdown_timeout: 600_000 })
  })

  it.each([0, 9999, 600_001])('refuses %i ms', async (timeout) => {
    const { status, body } = await bmc.post('watchdog/sw_shutdown_timeout', { timeout })
    expect([status, body?.['message']]).toEqual([422, `timeout is out of range: 10000…600000 ms, not ${timeout}`])
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

  it('restores the initial state: limits, fan, power configuration', async () => {
    const power = device.module('power', 1)
    await power.set('limits', { limit_3v3: 2000, limit_5v0: 2000, limit_12v: 2000 })
    await power.set('fan', { fan_forced: true, fan_mode: 40 })
    await bmc.set('hard_reset', { reset: 'yes' })
    await device.advance(3300)
    expect(await power.read('stats')).toMatchObject({ limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 })
    expect(await power.read('fan')).toMatchObject({ fan_forced: false, fan_setting_mode: 0 })
  })
})
