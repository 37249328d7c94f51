import { source } from '@slotwire/twin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected, onlySpecification, servedTwin } from './client.testkit.ts'

const servers = ['a server with events', 'the specification alone'] as const

async function served(server: (typeof servers)[number]) {
  const { twin, url } = await servedTwin()
  return { twin, device: await connected(url, server === servers[1] ? { transport: onlySpecification(url) } : {}) }
}

describe.each(servers)('readers, on %s', (server) => {
  it('get the present value at once, also as the second reader', async () => {
    const { twin, device } = await served(server)
    twin.bench.pin(3, 1).connect(source(5))
    const pin = device.io(3).pin(1)
    const first = pin.values({ every: '50ms' })
    expect(await first.next()).toMatchObject({ value: { value: 5000 } })
    const second = pin.values({ every: '50ms' })
    expect(await second.next()).toMatchObject({ value: { value: 5000 } })
  })

  it('get values at their own interval, also after a reader with a long one', async () => {
    const { twin, device } = await served(server)
    const wired = twin.bench.pin(3, 1).connect(source(5))
    const pin = device.io(3).pin(1)
    expect(await pin.values({ every: '1h' }).next()).toMatchObject({ value: { value: 5000 } })
    const often = pin.values({ every: '50ms' })
    expect(await often.next()).toMatchObject({ value: { value: 5000 } })
    wired.set({ volts: 3 })
    expect(await often.next()).toMatchObject({ value: { value: 3000 } })
  })

  it('may be many, with one signal for all', async () => {
    const { device } = await served(server)
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const end = new AbortController()
    const { signal } = end
    const readers = Array.from({ length: 20 }, () => device.io(3).pin(1).values({ every: '1s', signal }))
    const calls = Array.from({ length: 20 }, () => device.io(5).inputValues({ signal }))
    await Promise.all([...readers.map((reader) => reader.next()), ...calls])
    end.abort(new Error('enough'))
    for (const reader of readers) await expect(reader.next()).rejects.toThrow('enough')
    expect(warnings).toEqual([])
  })

  it('end when the client closes; later ones end at once', async () => {
    const { device } = await served(server)
    const pin = device.io(3).pin(2)
    const [alerts, values] = [pin.alerts(), pin.values({ every: '1s' })]
    await Promise.all([alerts.ready, values.next()])
    const pending = [alerts.next(), values.next()]
    await device.close()
    for (const entry of await Promise.all(pending)) expect(entry.done).toBe(true)
    expect((await pin.alerts().next()).done).toBe(true)
  })
})

it('a refused value does not end the readers of alerts', async () => {
  const { twin, url } = await servedTwin()
  const refused = { status: 'error', code: 422, message: 'no such value' }
  const device = await connected(url, {
    transport: (path, init) =>
      path.includes('watch=') ? Promise.resolve(Response.json(refused, { status: 422 })) : fetch(url + path, init),
  })
  const pin = device.io(3).pin(2)
  const alerts = pin.alerts()
  await alerts.ready
  await expect(pin.values({ every: '1s' }).next()).rejects.toMatchObject({ kind: 'invalid', status: 422 })
  await pin.threshold({ threshold_millivolt: 1000, trigger: 'rising' })
  twin.bench.pin(3, 2).connect(source(5))
  expect(await alerts.next()).toMatchObject({ value: { kind: 'alert', alerts: ['custom_voltage_alert'] } })
})
