import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'

describeDevice('a descriptor that cannot be read', (device) => {
  it('costs its own requests a clear 500, and neither the list nor another slot anything', async () => {
    device.bus.stall('descriptor 3')
    const own = device.get('/api/io/1.0/3/descriptor')
    const list = await device.get('/api/io/')
    expect((list.body?.['devices'] as { slot_number: number }[]).map(({ slot_number }) => slot_number)).toEqual([3, 5])
    expect((await device.get('/api/io/1.0/5/descriptor')).status).toBe(200)
    expect((await device.get('/api/io/1.0/3/input/values')).status).toBe(200)
    expect((await device.until(own)).body).toEqual({
      status: 'error',
      code: 500,
      message: 'the descriptor of the module in slot 3 could not be read',
    })
  })
})

describeDevice('a USB bus that cannot be read', (device) => {
  it('costs its own request a clear 500, and the watchdog nothing', async () => {
    device.bus.stall('hostDevices')
    const own = [device.get('/api/bmc/1.0/0/usbhub/devices'), device.get('/api/bmc/1.0/0/usbhub/devices')]
    await device.advance(1)
    expect((await device.post('/api/bmc/1.0/0/watchdog', { timeout: 60_000 })).status).toBe(200)
    expect((await device.get('/api/bmc/1.0/0/watchdog/alive')).status).toBe(200)
    for (const { status, body } of await device.until(Promise.all(own))) {
      expect([status, body?.['message']]).toEqual([500, 'the USB devices could not be read within 2000 ms'])
    }
  })
})
