import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

describe('temperature', () => {
  it('reaches the sensors if the surroundings change', async () => {
    const before = Number((await device.read('bmc/1.0/0/temperature'))['ntc_1'])
    expect(await device.post('ambient', { celsius: 60 })).toMatchObject({ status: 200 })
    await device.real.advance(600_000)
    expect(Number((await device.read('bmc/1.0/0/temperature'))['ntc_1'])).toBeGreaterThan(before + 20)
    expect(await device.get('/surroundings')).toMatchObject({ ambient_celsius: 60, computer_watt: 2 })
  })

  it('rises with the load of the computer', async () => {
    const before = Number((await device.read('bmc/1.0/0/temperature'))['ntc_0'])
    expect(await device.post('computer', { watt: 10 })).toMatchObject({ status: 200 })
    await device.real.advance(600_000)
    expect(Number((await device.read('bmc/1.0/0/temperature'))['ntc_0'])).toBeGreaterThan(before + 5)
  })
})

describe('a rail', () => {
  it('shows its load, and has a settable voltage offset', async () => {
    const before = Number((await device.read('power/1.0/1/stats'))['current_12v'])
    expect(await device.post('rail', { rail: '12v', load_milliampere: 500 })).toMatchObject({ status: 200 })
    await device.real.advance(2000)
    expect(Number((await device.read('power/1.0/1/stats'))['current_12v'])).toBeCloseTo(before + 500, -2)
    expect(await device.get('/surroundings')).toMatchObject({
      rails: [{ rail: '3v3' }, { rail: '5v0' }, { rail: '12v', on: true, load_milliampere: 500, offset_millivolt: 0 }],
    })
    expect(await device.post('rail', { rail: '12v', offset_millivolt: -100 })).toMatchObject({ status: 200 })
    expect(await device.get('/surroundings')).toMatchObject({
      rails: [{}, {}, { load_milliampere: 500, offset_millivolt: -100 }],
    })
  })

  it.each([
    ['rail', { rail: '12v' }, 'load_milliampere is missing: a number from 0 to 20000 mA, or give offset_millivolt'],
    ['rail', { rail: '12V', load_milliampere: 1 }, 'rail is not allowed: 3v3, 5v0 or 12v, not "12V"; did you mean 12v?'],
    ['rail', { rail: '12v', load_milliampere: -1 }, 'load_milliampere is out of range: 0…20000 mA, not -1'],
    ['ambient', { celsius: 126 }, 'celsius is out of range: -40…125 °C, not 126'],
    ['computer', { watt: 51 }, 'watt is out of range: 0…50 W, not 51'],
  ])('%s refuses %j: %s', async (path, body, message) => {
    expect(await device.post(path, body)).toMatchObject({ status: 422, message })
  })
})

describe('POST restart', () => {
  it('restarts everything except the bench', async () => {
    expect(await device.post('restart')).toMatchObject({ status: 200 })
    await device.real.advance(100)
    expect((await device.ask('GET', '/api/io/1.0/')).status).toBe(502)
    expect((await device.ask('GET', '/slotwire/bench')).status).toBe(200)
    await device.real.advance(5000)
    expect((await device.ask('GET', '/api/io/1.0/')).status).toBe(200)
  })
})

describe('USB', () => {
  it('attaches devices to the ports of slots, and detaches them', async () => {
    const printer = { slot: 5, manufacturer: 'Example', product: 'Label printer', serial_code: 'LP-0042' }
    expect(await device.post('usb_attach', printer)).toMatchObject({ status: 200 })
    await device.real.advance(1000)
    expect(((await device.read('bmc/1.0/0/usbhub/devices'))['devices'] as object[]).length).toBe(2)
    expect(await device.get('/usb')).toMatchObject({ host_connected: false, devices: [{ slot: 4 }, printer] })
    expect(await device.post('usb_detach', { slot: 4 })).toMatchObject({ status: 200 })
    expect(await device.get('/usb')).toMatchObject({ devices: [printer] })
  })

  it('connects a host to the port of the computer', async () => {
    expect(await device.post('usb_host', { connected: true })).toMatchObject({ status: 200 })
    expect(await device.get('/usb')).toMatchObject({ host_connected: true })
  })

  it.each([
    ['usb_attach', 4, 'the USB port of slot 4 is taken: detach its device first'],
    ['usb_attach', 0, /^slot 0 has no USB port: /],
    ['usb_detach', 5, 'no device is on the USB port of slot 5'],
  ])('%s of slot %i is refused: %s', async (path, slot, message) => {
    const identity = path === 'usb_attach' ? { manufacturer: 'a', product: 'b', serial_code: 'c' } : {}
    const answer = await device.post(path, { slot, ...identity })
    expect(answer.status).toBe(400)
    expect(answer.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })
})
