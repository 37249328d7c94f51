import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'

describeDevice('an unreadable descriptor', (device) => {
  it('fails its own requests with a clear 500, but not the list or another slot', async () => {
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

describeDevice('an unreadable USB bus', (device) => {
  it('fails its own requests with a clear 500, but not those of the watchdog', async () => {
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
