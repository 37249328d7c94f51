import { ClientError, type ConnectOptions } from '@slotwire/client'
import { source } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { connected, onlySpecification, scripted, servedTwin } from './client.testkit.ts'

const kinds = ['a server with events', 'the specification alone'] as const

async function served(server: (typeof kinds)[number]) {
  const { twin, url } = await servedTwin()
  const options: ConnectOptions = server === 'the specification alone' ? { transport: onlySpecification(url) } : {}
  return { twin, url, device: await connected(url, options) }
}

describe.each(kinds)('alerts, on %s', (server) => {
  it('arrive at all readers of the pin', async () => {
    const { twin, device } = await served(server)
    const pin = device.io(3).pin(2)
    const [first, second] = [pin.alerts(), pin.alerts()]
    await Promise.all([first.ready, second.ready])
    await pin.threshold({ threshold_millivolt: 1000, trigger: 'rising' })
    twin.bench.pin(3, 2).connect(source(5))
    const expected = { kind: 'alert', slot: 3, pin: 2, alerts: ['custom_voltage_alert'] }
    expect(await first.next()).toMatchObject({ value: expected })
    expect(await second.next()).toMatchObject({ value: expected })
  })

  it('can be awaited one at a time, for a limited time', async () => {
    const { twin, device } = await served(server)
    const pin = device.io(3).pin(2)
    await pin.threshold({ threshold_millivolt: 1000, trigger: 'rising' })
    const alert = await pin.nextAlert({ withinMs: 5000 }, () => twin.bench.pin(3, 2).connect(source(5)))
    expect(alert).toMatchObject({ kind: 'alert', slot: 3, pin: 2, alerts: ['custom_voltage_alert'] })
    const late = { kind: 'not-found', message: 'no alert of pin 2 within 20 ms' }
    await expect(pin.nextAlert({ withinMs: 20 })).rejects.toMatchObject(late)
    await expect(pin.nextAlert({ withinMs: 20 }, () => new Promise(() => undefined))).rejects.toMatchObject(late)
    await expect(pin.nextAlert({ withinMs: Number.NaN })).rejects.toThrow('withinMs is out of range: 1…3600000 ms')
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(pin.nextAlert({ withinMs: 5000, signal })).rejects.toThrow('enough')
  })

  it('end with the reader', async () => {
    const { device } = await served(server)
    const end = new AbortController()
    const alerts = device.io(3).pin(2).alerts({ signal: end.signal })
    await alerts.ready
    end.abort(new Error('enough'))
    await expect(alerts.next()).rejects.toThrow('enough')
    expect(await alerts.next()).toMatchObject({ done: true })
  })
})

it('alerts have a gap after lost answers, on the specification alone', async () => {
  const { url } = await servedTwin()
  const none = Response.json({ custom_voltage_alert: false })
  const lost = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  const { transport } = scripted(none, lost, lost, Response.json({ custom_voltage_alert: true }), none)
  const polled = onlySpecification(url)
  const device = await connected(url, {
    transport: (path, init) => (path.includes('/notification/') ? transport : polled)(path, init),
  })
  const alerts = device.io(3).pin(2).alerts()
  expect(await alerts.next()).toMatchObject({ value: { kind: 'gap', missing: undefined } })
  expect(await alerts.next()).toMatchObject({ value: { kind: 'alert', alerts: ['custom_voltage_alert'] } })
  await alerts.return()
})

describe.each(kinds)('values, on %s', (server) => {
  it('come first and when they change', async () => {
    const { twin, device } = await served(server)
    const wired = twin.bench.pin(3, 1).connect(source(5))
    const values = device.io(3).pin(1).values({ every: '50ms' })
    expect(await values.next()).toMatchObject({ value: { pin: 1, value: 5000 } })
    wired.set({ volts: 3 })
    expect(await values.next()).toMatchObject({ value: { pin: 1, value: 3000 } })
    await values.return()
  })

  it.each([10, '49ms', '2h', 'soon', ''])('refuse the interval %s', async (every) => {
    const { device } = await served(server)
    expect(() => device.io(3).pin(1).values({ every })).toThrow("every is out of range: 50 ms to 1 h, as in '250ms'")
  })
})

describe('events', () => {
  it('continue after a lost connection, without a gap', async () => {
    const { twin, url } = await servedTwin()
    const streams: AbortController[] = []
    const device = await connected(url, {
      transport: (path, init) => {
        const cut = new AbortController()
        if (path.startsWith('/slotwire/events')) streams.push(cut)
        return fetch(url + path, { ...init, signal: AbortSignal.any([init.signal, cut.signal]) })
      },
    })
    const changes: boolean[] = []
    device.on('connection', ({ isConnected }) => changes.push(isConnected))
    const events = device.events({ kinds: ['write'], slots: [3] })
    await events.ready
    for (const mode of ['digital', 'analog', 'digital'] as const) {
      streams.at(-1)?.abort()
      await device.io(3).pin(1).mode(mode)
      expect(await events.next()).toMatchObject({ value: { kind: 'write', slot: 3, body: { pin: 1, mode } } })
    }
    expect(changes).toContain(false)
    expect(twin.bench.slot(3)).toBeDefined()
  })

  it('count what a slow reader lost, and a fast reader loses nothing', async () => {
    const { device } = await served('a server with events')
    const [slow, fast] = [device.events({ kinds: ['write'] }), device.events({ kinds: ['write'] })]
    await Promise.all([slow.ready, fast.ready])
    const taken = (async () => {
      for (let count = 0; count < 1200; count++) expect(await fast.next()).toMatchObject({ value: { kind: 'write' } })
    })()
    const io = device.io(3)
    for (let batch = 0; batch < 12; batch++) await Promise.all(Array.from({ length: 100 }, () => io.pin(1).mode('digital')))
    await taken
    for (let count = 0; count < 999; count++) expect(await slow.next()).toMatchObject({ value: { kind: 'write' } })
    expect(await slow.next()).toEqual({ done: false, value: { kind: 'gap', missing: 201 } })
  })

  it.each([
    ['events', (device: Awaited<ReturnType<typeof connected>>) => device.events().next()],
    ['history', (device: Awaited<ReturnType<typeof connected>>) => device.history().next()],
    ['state', (device: Awaited<ReturnType<typeof connected>>) => device.state()],
    ['leases', (device: Awaited<ReturnType<typeof connected>>) => device.lease([3], { holder: 'test' })],
  ])('are refused on the specification alone: %s', async (_, use) => {
    const { device } = await served('the specification alone')
    const error = await (async () => use(device))().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ kind: 'not-found', message: expect.stringContaining('specification') as unknown })
  })

  it('are kept as history', async () => {
    const { twin, device } = await served('a server with events')
    twin.bench.slot(3).unplug()
    twin.bench.slot(3).plug('io')
    const stored = async (): Promise<unknown[]> => {
      const events: unknown[] = []
      for await (const record of device.history({ kinds: ['module'], slots: [3], count: 1 })) events.push(record['event'])
      return events
    }
    await expect.poll(stored).toEqual(['arrived', 'left', 'arrived'])
  })
})

describe('a lease', () => {
  it('keeps other writers out until it is given back', async () => {
    const { url, device } = await served('a server with events')
    const other = await connected(url)
    const lease = await device.lease([3], { holder: 'line 3' })
    await device.io(3).pin(1).mode('digital')
    await expect(other.io(3).pin(1).mode('analog')).rejects.toMatchObject({ kind: 'leased', status: 423 })
    await expect(other.lease([3], { holder: 'other' })).rejects.toMatchObject({ kind: 'leased' })
    await lease.release()
    await other.io(3).pin(1).mode('analog')
    await device.io(3).pin(1).mode('digital')
  })

  it('renews itself, and says when it was taken over', async () => {
    const { url, device } = await served('a server with events')
    const other = await connected(url)
    const lease = await device.lease([3], { holder: 'line 3', ttlSeconds: 5 })
    await other.lease([3], { holder: 'other', force: true })
    expect(await lease.lost).toMatchObject({ kind: 'leased' })
    await expect(device.io(3).pin(1).mode('digital')).rejects.toMatchObject({ kind: 'leased' })
  })

  it('is given back when the client closes', async () => {
    const { url, device } = await served('a server with events')
    await device.lease([3, 5], { holder: 'line 3' })
    await device.close()
    expect(await (await connected(url)).state()).toMatchObject({ leases: [] })
  })
})

it('feedWhile feeds the watchdog while the check holds', async () => {
  const { device } = await served('a server with events')
  const bmc = device.bmc()
  await expect(bmc.feedWhile(() => true)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('setWatchdog') as unknown,
  })
  await bmc.setWatchdog({ timeout: 60_000 })
  await expect(bmc.feedWhile(() => true, { everyMs: Number.NaN })).rejects.toMatchObject({ kind: 'invalid' })
  const missed: string[] = []
  let checks = 0
  const feeder = await bmc.feedWhile(
    () => {
      checks++
      if (checks > 2) throw new Error('broken')
      return checks === 1
    },
    { everyMs: 50, onMissed: (reason) => missed.push(reason) },
  )
  await expect.poll(() => missed.slice(0, 2)).toEqual(['the health check failed', 'broken'])
  feeder.stop()
  expect((await device.state()).modules).toBeDefined()
})

describe.each(kinds)('watch, on %s', (server) => {
  it('gives the answers to a read, why the module cannot be read, and the answers again', async () => {
    const { twin, device } = await served(server)
    const readings = device.power().watch('getStats', { every: '50ms' })
    expect(await readings.next()).toMatchObject({ value: { kind: 'value', value: { limit_12v: 2399 } } })
    twin.bench.slot(1).unplug()
    const isError = async (): Promise<boolean> => ((await readings.next()).value as { kind: string }).kind === 'error'
    while (!(await isError()));
    await readings.return()
  })

  it('refuses what has an effect', async () => {
    const { device } = await served(server)
    const message = 'GET /api/bmc/1.0/0/watchdog/alive: it has an effect, so it cannot be watched'
    expect(() => device.bmc().watch('feedWatchdog', { every: '1s' })).toThrow(message)
  })
})

it('requestOf shows the request of a call, and refuses what the server would refuse', async () => {
  const { device } = await served('a server with events')
  const request = { method: 'POST', path: '/api/io/1.0/3/output/state', body: { pin: 1, state: 'high' } }
  expect(device.io(3).requestOf('setOutputState', { pin: 1, state: 'high' })).toMatchObject(request)
  expect(() => device.io(3).requestOf('setOutputState', { pin: 7, state: 'high' })).toThrow('pin is out of range: 1…6')
})
