import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { ManualClock } from '@slotwire/core'
import { decodeFrame, MessageType } from '@slotwire/sdbp'
import { hang, type Transfer } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { moduleAt, pinsOn, until, useTwins } from '../../packages/device/src/twin/twin.testkit.ts'

const twinOn = useTwins()
const MODE_SUSPEND = '010302'
const MODE_RUN = '010303'
const DESCRIPTOR_CLASS = '0102'

/** Class identifier, class and operation of the host's messages, in hex, without dummies. */
const said = (transfers: readonly Transfer[]): string[] =>
  transfers
    .map(({ host }) => decodeFrame(host))
    .filter(({ type }) => type === MessageType.operation)
    .map(({ payload }) => Buffer.from(payload.subarray(0, 3)).toString('hex'))

const VALUES = '/api/io/1.0/3/input/values'
const rawRequest = `GET ${VALUES} HTTP/1.1\r\nHost: 127.0.0.1\r\nCache-Control: no-cache\r\n`

async function connected(url: string): Promise<{ readonly socket: Socket; readonly end: Promise<string> }> {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()))
  socket.on('error', (error: NodeJS.ErrnoException) => (received += `[${String(error.code)}]`))
  return { socket, end: once(socket, 'close').then(() => received) }
}

describe('the modules of a killed service', () => {
  it('get SUSPEND when the kernel closes their slots, then send their descriptors, and get no heartbeat', async () => {
    const transfers: Transfer[] = []
    const twin = await twinOn({ onTransfer: (transfer) => transfers.push(transfer) })
    await twin.clock.advance(1000)
    expect(said(transfers)).toContain(MODE_RUN)
    transfers.length = 0
    await twin.killService()
    await twin.clock.advance(60_000)
    for (const slot of [0, 1, 3, 5]) {
      const [first, ...others] = said(transfers.filter((transfer) => transfer.slot === slot))
      expect(first).toBe(MODE_SUSPEND)
      expect(others.every((operation) => operation.startsWith(DESCRIPTOR_CLASS))).toBe(true)
    }
    expect(transfers.every(({ atMs }) => atMs === 1000)).toBe(true)
    expect([0, 1, 3, 5].map((slot) => twin.chassis.module(slot).mode)).toEqual(Array(4).fill('suspend'))
  })

  it('switch their outputs off immediately', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    await io.set('output/state', { pin: 1, state: 'high' })
    expect(twin.bench.pin(3, 1).volts).toBeCloseTo(5.15, 6)
    await twin.killService()
    await twin.clock.advance(0)
    expect(twin.bench.pin(3, 1).volts).toBe(0)
  })

  it('fall to SUSPEND a second after the last heartbeat if they hang', async () => {
    const twin = await twinOn()
    twin.bench.slot(3).inject(hang())
    await twin.killService()
    await twin.clock.advance(800)
    expect([twin.chassis.module(3).mode, twin.chassis.module(5).mode]).toEqual(['run', 'suspend'])
    await twin.clock.advance(300)
    expect(twin.chassis.module(3).mode).toBe('suspend')
  })

  it('finish the running exchange first on a timed bus', async () => {
    const transfers: Transfer[] = []
    const twin = await twinOn({ bus: 'timed', onTransfer: (transfer) => transfers.push(transfer) })
    await twin.clock.advance(1000)
    transfers.length = 0
    await twin.killService()
    await twin.clock.advance(500)
    expect(twin.chassis.module(3).mode).toBe('suspend')
    const operations = said(transfers.filter(({ slot }) => slot === 3))
    expect(operations.filter((operation) => operation === MODE_SUSPEND)).toHaveLength(1)
    const after = transfers.length
    await twin.clock.advance(10_000)
    expect(transfers).toHaveLength(after)
  })
})

describe('the clients of a killed service', () => {
  it('get a broken connection for a request in this process, and a refused one afterwards', async () => {
    const twin = await twinOn()
    twin.bench.slot(3).inject(hang())
    const request = twin.request({ method: 'GET', path: VALUES, headers: { 'cache-control': 'no-cache' } })
    const failed = expect(request).rejects.toMatchObject({ name: 'ServiceGone', code: 'ECONNRESET' })
    await twin.clock.advance(10)
    await twin.killService()
    await failed
    await expect(twin.request({ method: 'GET', path: VALUES })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(twin.listen()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(() => twin.rack).toThrow('the service is not running: startService() starts it')
    expect(() => twin.service).toThrow('the service is not running')
  })

  it('get no further byte on connections: waiting for an answer, sending a request, idle or new', async () => {
    const twin = await twinOn()
    const url = await twin.listen()
    twin.bench.slot(3).inject(hang())
    const [waiting, sending] = [await connected(url), await connected(url)]
    const [idle, fresh] = [await connected(url), await connected(url)]
    waiting.socket.write(`${rawRequest}\r\n`)
    sending.socket.write(rawRequest)
    idle.socket.write('GET /api/io/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    const [answer] = (await once(idle.socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /)
    await twin.killService()
    const received = await Promise.all([waiting.end, sending.end, fresh.end])
    for (const bytes of received) expect(['', '[ECONNRESET]']).toContain(bytes)
    expect((await idle.end).startsWith(answer.toString())).toBe(true)
    await expect(connected(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('find it again at the same ports, with a new driver session and new module sessions', async () => {
    const twin = await twinOn()
    const urls = [await twin.listen(), await twin.listen()]
    const sessions = async () => [
      twin.rack.driverSession,
      await moduleAt(twin, 'io', 3).session(),
      await moduleAt(twin, 'bmc', 0).session(),
    ]
    const before = await sessions()
    await twin.killService()
    await twin.clock.advance(5000)
    await twin.startService()
    for (const url of urls) expect((await fetch(`${url}/api/io/`)).status).toBe(200)
    const after = await sessions()
    for (const [index, session] of after.entries()) expect(session).not.toBe(before[index])
    expect(after.every((session) => /^[A-Z0-9]{64}$/.test(session ?? ''))).toBe(true)
    await twin.clock.advance(5000)
    expect(twin.chassis.module(3).mode).toBe('run')
    expect(await moduleAt(twin, 'io', 3).session()).toBe(after[1])
  })

  it('find the modules in their initial state', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('input/mode', { pin: 1, mode: 'digital' })
    await twin.killService()
    await twin.startService()
    expect((await io.read('input/values'))['pins']).toMatchObject([{ pin_type: 'voltage_millivolt' }, {}, {}, {}, {}, {}])
  })

  it('get an error if another process has taken the port meanwhile', async () => {
    const twin = await twinOn()
    const port = Number(new URL(await twin.listen()).port)
    await twin.killService()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    await expect(twin.startService()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await expect(twin.request({ method: 'GET', path: '/api/io/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await new Promise((resolve) => other.close(resolve))
    await twin.startService()
    expect(await twin.request({ method: 'GET', path: '/api/io/' })).toMatchObject({ status: 200 })
  })

  it('can kill it once, and start it once', async () => {
    const twin = await twinOn()
    await expect(twin.startService()).rejects.toThrow('the service is already running: killService() ends it')
    await twin.killService()
    await expect(twin.killService()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await twin.startService()
  })

  it('never see it start if it is killed during the start', async () => {
    const twin = await twinOn()
    await twin.killService()
    twin.bench.slot(3).inject(hang())
    const started = expect(twin.startService()).rejects.toMatchObject({ name: 'ServiceGone' })
    await twin.clock.advance(10)
    await twin.killService()
    await started
    twin.bench.clearFaults()
    await until(twin, twin.startService())
    expect(await twin.request({ method: 'GET', path: VALUES })).toMatchObject({ status: 200 })
  })
})

describe('a killed service', () => {
  it('leaves no timer on the device’s clock, nor on that of its clients', async () => {
    const realTime = new ManualClock()
    const twin = await twinOn({ realTime })
    const url = await twin.listen()
    expect((await fetch(`${url}/slotwire/metrics`)).status).toBe(200)
    expect(twin.clock.pending).toBeGreaterThan(0)
    await twin.killService()
    // The kernel is finished, and the modules wait for nothing.
    await twin.clock.advance(2000)
    expect([twin.clock.pending, realTime.pending]).toEqual([0, 0])
  })

  it('leaves no socket, however often it is killed, and runs the same each time', async () => {
    const twin = await twinOn()
    const url = await twin.listen()
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
    const counts: string[] = []
    for (let round = 0; round < 5; round++) {
      await twin.killService()
      await twin.clock.advance(2000)
      const killed = [twin.clock.pending, sockets()]
      await twin.startService()
      await twin.clock.advance(1000)
      counts.push(String([...killed, twin.clock.pending, sockets()]))
    }
    expect(new Set(counts)).toEqual(new Set([counts[0]]))
    expect(counts[0]).toMatch(/^0,/)
    expect((await fetch(`${url}/api/io/`)).status).toBe(200)
  })
})
