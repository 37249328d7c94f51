import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'

describeDevice('a read-only caller', (device) => {
  const io = device.module('io', 5)
  const bmc = device.module('bmc', 0)

  /** Sends a request through the loopback door with read-only access. */
  async function ask(method: 'GET' | 'POST', path: string, body?: object) {
    const headers = { 'slotwire-access': 'read-only', 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${await device.listen()}${path}`, init)
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
  }

  it('does not feed the watchdog or save its timeout', async () => {
    await bmc.set('watchdog', { timeout: 10_000 })
    await device.advance(4000)
    for (const path of ['watchdog/alive', 'watchdog/save']) {
      expect(await ask('GET', `${bmc.path}/${path}`)).toMatchObject({ status: 403, body: { status: 'error', code: 403 } })
    }
    expect((await ask('GET', `${bmc.path}/watchdog`)).body).toMatchObject({ timeout: 10_000, timeout_left: 6000 })
  })

  it('changes nothing with any POST', async () => {
    expect(await ask('POST', `${io.path}/input/mode`, { pin: 1, mode: 'digital' })).toMatchObject({ status: 403 })
    expect(await ask('POST', `${io.path}/reset`, { reset: 'yes' })).toMatchObject({ status: 403 })
    expect((await ask('GET', `${io.path}/input/values`)).body['pins']).toContainEqual(
      expect.objectContaining({ pin: 1, pin_type: 'voltage_millivolt' }),
    )
  })

  it('sees alerts and leaves them pending', async () => {
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
    await device.advance(50)
    const alert = { custom_voltage_alert: true, high_current_alert: false }
    for (let times = 0; times < 3; times++) expect((await ask('GET', `${io.path}/notification/4`)).body).toMatchObject(alert)
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'disabled' })
    await device.advance(50)
    expect(await io.read('notification/4')).toMatchObject(alert)
    expect((await ask('GET', `${io.path}/notification/4`)).body).toMatchObject({ custom_voltage_alert: false })
  })
})
