import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

const EMERGENCY =
  'nothing can be saved in emergency mode: the storage is corrupt and needs a factory reset, GET watchdog shows when it is over'

describeDevice('GET voltage and GET temperature', (device) => {
  const bmc = device.module('bmc', 0)

  it('return whole millivolt, and °C to three digits, with the ambient one lower', async () => {
    const { voltage_1v8, voltage_rtc } = (await bmc.read('voltage')) as Record<string, number>
    expect(voltage_1v8).toBeGreaterThan(1700)
    expect(voltage_1v8).toBeLessThan(1900)
    expect(voltage_rtc).toBeGreaterThan(2800)
    expect([voltage_1v8, voltage_rtc].every(Number.isInteger)).toBe(true)
    const { ntc_0 = 0, ntc_1 = 0 } = (await bmc.read('temperature')) as Record<string, number>
    expect(ntc_1).toBeLessThan(ntc_0)
    for (const celsius of [ntc_0, ntc_1]) expect(Math.round(celsius * 1000) / 1000).toBe(celsius)
  })
})

describeDevice('USB hub', (device) => {
  const bmc = device.module('bmc', 0)
  const states = async () => Object.values(await bmc.read('usbhub'))
  const found = async () =>
    ((await bmc.read('usbhub/devices'))['devices'] as Record<string, unknown>[]).map(({ slot, usb_port, system_path }) => [
      slot,
      usb_port,
      system_path,
    ])
  const [on, off, none] = ['enabled', 'disabled', 'not available']
  const apply = async () => {
    await bmc.set('usbhub/reset', { reset: 'yes' })
    await device.advance(400)
  }

  it('lists the device in slot 4 with its physical port', async () => {
    expect((await bmc.read('usbhub/devices'))['devices']).toEqual([
      {
        slot: 4,
        usb_port: 2,
        manufacturer: 'Slotwire',
        product: 'Virtual serial adapter',
        serial_code: 'VSA-0001',
        system_path: '/sys/devices/platform/usb/usb1/1-1/1-1.2',
      },
    ])
  })

  it('saves usbhub/slot/<number> at once and applies it with usbhub/reset; disabled ports shift the numbering', async () => {
    await bmc.set('usbhub/slot/5', { state: false })
    expect(await states()).toEqual([on, none, none, on, on, on, on, on, on])
    expect(await found()).toEqual([[4, 2, '/sys/devices/platform/usb/usb1/1-1/1-1.2']])
    await apply()
    expect(await states()).toEqual([on, none, none, on, on, on, off, on, on])
    // Slot 5 has port 1: without it the host numbers port 2 as 1.
    expect(await found()).toEqual([[4, 2, '/sys/devices/platform/usb/usb1/1-1/1-1.1']])
    await bmc.set('usbhub/slot/5', { state: true })
    await bmc.set('usbhub/slot/4', { state: false })
    await apply()
    expect(await states()).toEqual([on, none, none, on, on, off, on, on, on])
    expect(await found()).toEqual([])
  })
})

describeDevice('POST usb_bootloader', (device) => {
  const bmc = device.module('bmc', 0)
  const isUp = async () => (await device.get('/api/bmc/')).status === 200
  const restart = async () => {
    await bmc.set('hard_reset', { reset: 'yes' })
    await device.advance(3100)
  }

  it('makes the next restart wait 90 s for a host, once, then return to normal', async () => {
    await bmc.set('usb_bootloader', { enabled: true, timeout: 1000 })
    expect(await isUp()).toBe(true)
    await restart()
    expect(await isUp()).toBe(false)
    await device.advance(89_000)
    expect((await device.get('/api/io/1.0/5/input/values')).status).toBe(502)
    await device.advance(5000)
    expect(await isUp()).toBe(true)
    await restart()
    expect(await isUp()).toBe(true)
  })
})

describeDevice('emergency mode', (device) => {
  const bmc = device.module('bmc', 0)

  it('is reported and prevents saving, while everything else works', async () => {
    device.memory(0).corrupt('checksum')
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toEqual({ timeout: 0, timeout_left: 0, shutdown_timeout: 60_000, emergency_mode: true })
    await bmc.set('watchdog', { timeout: 60_000 })
    const refused = [
      await bmc.get('watchdog/save'),
      await bmc.post('watchdog/sw_shutdown_timeout', { timeout: 10_000 }),
      await bmc.post('usbhub', { state: false }),
      await bmc.post('usbhub/slot/4', { state: false }),
    ]
    for (const { status, body } of refused) expect([status, body?.['message']]).toEqual([400, EMERGENCY])
    await bmc.set('usbhub/reset', { reset: 'yes' })
    await bmc.set('buzzer', { mode: 2, duration: 10 })
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 60_000, shutdown_timeout: 60_000 })
    expect(await bmc.read('usbhub')).toMatchObject({ hub_state: 'enabled', port_slot_4: 'enabled' })
  })
})
