import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import * as firmwares from '../firmwares.ts'

const EMERGENCY =
  'nothing can be saved in emergency mode: the storage is corrupt and needs a factory reset, GET watchdog shows when it is over'
const SAVING_FAILED = {
  status: 'error',
  code: 500,
  message: 'the module could not save: its storage is full or broken; the active settings were not changed',
}

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

  it('follow the load of the computer', async () => {
    const before = (await bmc.read('temperature')) as Record<string, number>
    device.chassis.computer.loadWatt = 12
    await device.advance(120_000)
    const after = (await bmc.read('temperature')) as Record<string, number>
    expect(after['ntc_0']).toBeGreaterThan((before['ntc_0'] ?? 0) + 5)
  })
})

describeDevice('POST buzzer', (device) => {
  const bmc = device.module('bmc', 0)

  it.each([0, 1, 2, 3, 4, 5])('accepts mode %i and sends it to the module', async (mode) => {
    await bmc.set('buzzer', { mode, duration: 500 })
    expect(device.bus.exchanges(0).at(-1)).toBe(`0305020${mode}000001f4`)
  })

  it.each([1, 1000])('accepts a duration of %i ms', (duration) => bmc.set('buzzer', { mode: 2, duration }))

  it.each([0, 1001, -1])('refuses a duration of %i ms with 422', async (duration) => {
    const { status, body } = await bmc.post('buzzer', { mode: 2, duration })
    expect([status, body]).toEqual([
      422,
      { status: 'error', code: 422, message: `duration is out of range: 1…1000 ms, not ${duration}` },
    ])
  })

  it.each([-1, 6])('refuses mode %i with 422', async (mode) => {
    const { status, body } = await bmc.post('buzzer', { mode, duration: 1 })
    expect([status, body?.['message']]).toEqual([422, `mode is out of range: 0…5, not ${mode}`])
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

  it('shows hub and ports; slots 0 and 1 have none', async () => {
    expect(Object.keys(await bmc.read('usbhub'))).toEqual([
      'hub_state',
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((slot) => `port_slot_${slot}`),
    ])
    expect(await states()).toEqual([on, none, none, on, on, on, on, on, on])
  })

  it('lists the device in slot 4 with its physical port', async () =>
    expect((await bmc.read('usbhub/devices'))['devices']).toEqual([
      {
        slot: 4,
        usb_port: 2,
        manufacturer: 'Slotwire',
        product: 'Virtual serial adapter',
        serial_code: 'VSA-0001',
        system_path: '/sys/devices/platform/usb/usb1/1-1/1-1.2',
      },
    ]))

  it('lists a device without names as Unknown', async () => {
    device.chassis.usb.attach(6, { manufacturer: '', product: '', serialCode: '' })
    await device.advance(400)
    expect((await bmc.read('usbhub/devices'))['devices']).toMatchObject([
      { slot: 4 },
      { slot: 6, usb_port: 6, manufacturer: 'Unknown', product: 'Unknown', serial_code: '' },
    ])
  })

  it('applies saved settings of slots by usbhub/reset, not by a reset of the module', async () => {
    await bmc.set('usbhub/slot/5', { state: false })
    await bmc.set('usbhub', { state: false })
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('usbhub')).toMatchObject({ hub_state: 'disabled', port_slot_5: 'enabled' })
    await bmc.set('usbhub/reset', { reset: 'yes' })
    expect(await bmc.read('usbhub')).toMatchObject({ port_slot_5: 'disabled' })
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

  it('disconnects all devices on usbhub/reset; they enumerate again', async () => {
    await bmc.set('usbhub/reset', { reset: 'yes' })
    expect(await found()).toEqual([])
    await device.advance(400)
    expect(await found()).toHaveLength(1)
  })

  it('switches the hub with POST usbhub, applied by reset too', async () => {
    await bmc.set('usbhub', { state: false })
    expect((await states())[0]).toBe(on)
    await bmc.set('reset', { reset: 'yes' })
    expect((await states())[0]).toBe(off)
    expect(await found()).toEqual([])
    await bmc.set('usbhub', { state: true })
    await apply()
    expect(await found()).toHaveLength(1)
  })

  it('applies saved settings on a restart', async () => {
    await bmc.set('usbhub/slot/7', { state: false })
    await bmc.set('hard_reset', { reset: 'yes' })
    await device.advance(3400)
    expect((await states())[8]).toBe(off)
  })

  it.each([0, 1])('answers 400 if the port of slot %i is not available', async (slot) => {
    const { status, body } = await bmc.post(`usbhub/slot/${slot}`, { state: true })
    const message = `the USB port of slot ${slot} is not available: GET usbhub shows which ports are`
    expect([status, body?.['message']]).toEqual([400, message])
  })

  it('answers 404 for slot 8', async () => {
    const { status, body } = await bmc.post('usbhub/slot/8', { state: true })
    expect([status, body?.['message']]).toEqual([404, 'number 8 does not exist: 0…7'])
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

  it('keeps the mode with a host for its timeout', async () => {
    await bmc.set('usb_bootloader', { enabled: true, timeout: 200_000 })
    await restart()
    device.chassis.computer.usbHostConnected = true
    await device.advance(199_000)
    expect(await isUp()).toBe(false)
    await device.advance(5000)
    expect(await isUp()).toBe(true)
  })

  it('keeps the mode with timeout 0 until the host ends it', async () => {
    await bmc.set('usb_bootloader', { enabled: true, timeout: 0 })
    await restart()
    device.chassis.computer.usbHostConnected = true
    await device.advance(3_600_000)
    expect(await isUp()).toBe(false)
    device.chassis.computer.usbHostConnected = false
    await device.advance(3200)
    expect(await isUp()).toBe(true)
  })

  it.each([
    ['enabled false', () => bmc.set('usb_bootloader', { enabled: false })],
    ['a reset of the module', () => bmc.set('reset', { reset: 'yes' })],
  ])('is disarmed by %s', async (_, disarm) => {
    await bmc.set('usb_bootloader', { enabled: true, timeout: 0 })
    await disarm()
    await restart()
    expect(await isUp()).toBe(true)
  })

  it.each([
    [true, -1],
    [true, 3_600_001],
    [false, -1],
    [false, 3_600_001],
    [false, 1e300],
  ])('refuses with enabled %s a timeout of %d ms with 422', async (enabled, timeout) => {
    const { status, body } = await bmc.post('usb_bootloader', { enabled, timeout })
    expect([status, body?.['message']]).toEqual([422, `timeout is out of range: 0…3600000 ms, not ${timeout}`])
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

  it('lets the bmc start, and ends when the storage is valid again', async () => {
    device.memory(0).corrupt('checksum')
    device.chassis.unplug(0)
    device.chassis.plug(0, firmwares.bmc)
    await device.advance(1000)
    expect(await bmc.read('watchdog')).toMatchObject({ emergency_mode: true })
    device.memory(0).clear()
    await bmc.set('reset', { reset: 'yes' })
    expect(await bmc.read('watchdog')).toMatchObject({ emergency_mode: false })
    await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 10_000 })
  })
})

describeDevice('a storage that cannot be written', (device) => {
  const bmc = device.module('bmc', 0)

  it('gives a 500 and changes nothing; the same request succeeds when there is room again', async () => {
    await bmc.set('watchdog', { timeout: 60_000 })
    const memory = device.memory(0)
    const write = memory.save.bind(memory)
    let full = true
    memory.save = (document) => {
      if (full) throw new Error('ENOSPC: no space left on device')
      write(document)
    }
    const save = () => bmc.get('watchdog/save')
    const failed = [
      await save(),
      await bmc.post('watchdog/sw_shutdown_timeout', { timeout: 10_000 }),
      await bmc.post('usbhub', { state: false }),
      await bmc.post('usbhub/slot/4', { state: false }),
    ]
    for (const { status, body } of failed) expect([status, body]).toEqual([500, SAVING_FAILED])
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 60_000, shutdown_timeout: 60_000, emergency_mode: false })
    full = false
    expect((await save()).status).toBe(200)
    await bmc.set('usbhub/reset', { reset: 'yes' })
    expect(await bmc.read('usbhub')).toMatchObject({ hub_state: 'enabled', port_slot_4: 'enabled' })
  })
})
