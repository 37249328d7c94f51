import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'

describeDevice(
  'a restart of the device on a timed bus',
  (device) => {
    it('responds with 502 until all modules are back, never with 404 or an empty list', async () => {
      const seen: string[] = []
      const look = async () => {
        const { status } = await device.until(device.get('/api/io/1.0/5/descriptor'))
        const { body, status: rootStatus } = await device.until(device.get('/api/io/'))
        const devices = body?.['devices'] as unknown[] | undefined
        const now = `${status} ${rootStatus} ${devices?.length ?? '-'}`
        if (seen.at(-1) !== now) seen.push(now)
      }
      await look()
      const pending = device.post('/api/bmc/1.0/0/hard_reset', { reset: 'yes' })
      expect((await device.until(pending)).status).toBe(200)
      for (let ms = 0; ms < 6000; ms += 20) {
        await device.advance(20)
        await look()
      }
      expect(seen).toEqual(['200 200 2', '502 502 -', '200 200 2'])
    })
  },
  { bus: 'timed' },
)

describeDevice('a restart of the device after which a module is missing', (device) => {
  it('ends for the other modules three seconds later', async () => {
    expect((await device.post('/api/bmc/1.0/0/hard_reset', { reset: 'yes' })).status).toBe(200)
    await device.advance(100)
    device.chassis.unplug(5)
    await device.advance(3000)
    expect((await device.get('/api/io/')).status).toBe(502)
    await device.advance(3000)
    expect((await device.get('/api/io/1.0/3/input/values')).status).toBe(200)
    expect((await device.get('/api/io/1.0/5/input/values')).status).toBe(404)
  })
})

describeDevice('a start of the service', (device) => {
  it('responds to every request with 503 and Retry-After until the modules are examined', async () => {
    await device.stopService()
    device.bus.hold(5)
    const started = device.startService()
    await device.advance(1)
    for (const url of ['/api/io/', '/api/io/1.0/3/input/values', '/api/nothing']) {
      const { status, headers, body } = await device.get(url)
      expect([status, headers['retry-after'], body?.['code']]).toEqual([503, '1', 503])
    }
    expect((await device.get('/slotwire/readyz')).status).toBe(503)
    device.bus.release(5)
    await started
    expect((await device.get('/api/io/')).status).toBe(200)
  })
})
