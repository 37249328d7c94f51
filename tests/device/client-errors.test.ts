import { ClientError, type ConnectOptions, type Transport } from '@slotwire/client'
import { describe, expect, it } from 'vitest'
import { type Answer, connected, FIFTY_MILLIAMPERE, scripted, servedTwin } from './client.testkit.ts'

const URL = 'http://127.0.0.1:1'
const version = { major: 1, minor: 0, patch: 0 }
const DESCRIPTOR = { fw_version: { version }, hw_version: version, protocol_version: version }
const root = (major = 1) =>
  Response.json({
    driver_session: 'D',
    version: { api: { ...version, major }, service: version, module_driver: version, kernel_driver: version },
    devices: [{ slot_number: 3, sdbp_version: version, device_session: 'S' }],
  })
const error = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ status: 'error', code: status, message: 'said by the server' }, { status, headers })
const success = Response.json({ status: 'success' })
const networkError = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
const notFound = error(404)

/** A client of a server that has only the io service, and answers calls with these. */
async function withAnswers(answers: readonly Answer[], options: ConnectOptions = {}, others: Answer = notFound) {
  const script = scripted(...answers)
  const elsewhere = scripted(others)
  const device = await connected(URL, {
    ...options,
    transport: (path, init) => {
      if (path === '/api/io/1.0/') return Promise.resolve(root())
      return (path.startsWith('/api/io/1.0/3/') ? script : elsewhere).transport(path, init)
    },
  })
  return { io: device.io(3), device, requests: script.requests }
}
const inThreeSeconds = { date: 'Tue, 24 Nov 2026 13:00:00 GMT', 'retry-after': 'Tue, 24 Nov 2026 13:00:03 GMT' }
const thrown = async (call: Promise<unknown>): Promise<unknown> => call.catch((reason: unknown) => reason)

describe('an answer with an error', () => {
  it.each([
    [302, { location: '/login' }, { kind: 'unreachable', canRetry: false, mayBeDone: false }],
    [400, {}, { kind: 'refused', canRetry: false, mayBeDone: false }],
    [401, {}, { kind: 'credentials', canRetry: false, mayBeDone: false }],
    [403, {}, { kind: 'credentials', canRetry: false, mayBeDone: false }],
    [404, {}, { kind: 'not-found', canRetry: true, mayBeDone: false }],
    [404, { 'slotwire-error': 'module-lost' }, { kind: 'not-found', code: 'module-lost', mayBeDone: true }],
    [412, {}, { kind: 'session-changed', canRetry: true, mayBeDone: false }],
    [413, {}, { kind: 'invalid', canRetry: false, mayBeDone: false }],
    [422, {}, { kind: 'invalid', canRetry: false, mayBeDone: false }],
    [423, {}, { kind: 'leased', canRetry: true, mayBeDone: false }],
    [429, { 'retry-after': '60' }, { kind: 'credentials', canRetry: true, retryAfterMs: 60_000, mayBeDone: false }],
    [500, {}, { kind: 'module', canRetry: true, mayBeDone: true }],
    [502, {}, { kind: 'restarting', canRetry: true, mayBeDone: true }],
    [503, { 'retry-after': '60' }, { kind: 'restarting', canRetry: true, mayBeDone: false }],
    [503, inThreeSeconds, { kind: 'restarting', retryAfterMs: 3000, mayBeDone: false }],
    [504, {}, { kind: 'unreachable', canRetry: true, mayBeDone: true }],
  ])('has its kind: status %i %j', async (status, headers, expected) => {
    const { io, requests } = await withAnswers([error(status, headers)], { deadlineMs: 500 })
    const reason = await thrown(io.pin(1).mode('digital'))
    expect(reason).toBeInstanceOf(ClientError)
    expect(reason).toMatchObject({ ...expected, status, message: 'POST /api/io/1.0/3/input/mode: said by the server' })
    expect(requests).toHaveLength(1)
  })

  it('says that a redirection without a body is one', async () => {
    const { io } = await withAnswers([new Response(null, { status: 307 })])
    expect(await thrown(io.pin(1).output('high'))).toMatchObject({
      message: expect.stringContaining('HTTP status 307, a redirection') as unknown,
    })
  })

  it('may have any body: the status counts', async () => {
    const { io } = await withAnswers([new Response('<html>', { status: 404 })])
    expect(await thrown(io.descriptor())).toMatchObject({
      kind: 'not-found',
      message: 'GET /api/io/1.0/3/descriptor: HTTP status 404',
    })
  })
})

describe('an answer without an error', () => {
  it.each(['', 'null', '[]', '"x"', '{}', '{"pins":null}', '{"pins":[null]}', '{"pins":{"1":2}}'])(
    'is refused if it does not have the form of the reply: %s',
    async (body) => {
      const { io, requests } = await withAnswers([new Response(body)])
      const expected = { kind: 'unreachable', status: 200, message: expect.stringContaining('does not have the form') as unknown }
      expect(await thrown(io.pin(1).value())).toMatchObject({ ...expected, mayBeDone: false })
      expect(await thrown(io.power(FIFTY_MILLIAMPERE))).toMatchObject({ ...expected, mayBeDone: true })
      expect(requests).toHaveLength(2)
    },
  )

  it.each([new Response(null, { status: 204 }), Response.json([]), success])(
    'is enough for a write, whatever its body is',
    async (answer) => {
      const { io } = await withAnswers([answer])
      await io.pin(1).output('high')
    },
  )
})

describe('a call is repeated', () => {
  const busy = error(503, { 'slotwire-error': 'queue-full' })
  it.each([
    ['a read after a lost connection', [networkError('ECONNRESET'), Response.json(DESCRIPTOR)], 'read', 2],
    ['a read after 500', [error(500), Response.json(DESCRIPTOR)], 'read', 2],
    ['a write that never left', [networkError('ECONNREFUSED'), success], 'write', 2],
    ['a write that the server did not take', [busy, busy, success], 'write', 3],
    ['a write that may be done twice', [networkError('ECONNRESET'), success], 'idempotent', 2],
  ] as const)('if it is %s', async (_, answers, kind, count) => {
    const { io, requests } = await withAnswers([...answers])
    await (kind === 'read' ? io.descriptor() : io.pin(1).mode('digital', { idempotent: kind === 'idempotent' }))
    expect(requests).toHaveLength(count)
  })

  it.each([
    ['a write whose answer was lost', networkError('ECONNRESET')],
    ['a write that failed at the module', error(500)],
    ['a write during a restart', error(502)],
    ['a write with a garbled answer', new Response('garbage')],
  ])('never, if it is %s', async (_, answer) => {
    const { io, requests } = await withAnswers([answer, success], { deadlineMs: 1000 })
    expect(await thrown(io.pin(1).output('high'))).toMatchObject({ mayBeDone: true })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['garbled JSON', 'application/json', 2],
    ['a page', 'text/html', 1],
  ])('after %s %s: requests %i', async (_, type, count) => {
    const { io, requests } = await withAnswers([
      new Response('<html>', { headers: { 'content-type': type } }),
      Response.json(DESCRIPTOR),
    ])
    await thrown(io.descriptor())
    expect(requests).toHaveLength(count)
  })

  it('never, if it is a read that takes alerts away', async () => {
    const { io, requests } = await withAnswers([networkError('ECONNRESET'), Response.json({})])
    expect(await thrown(io.pin(1).notification())).toMatchObject({ kind: 'unreachable', mayBeDone: true })
    expect(requests).toHaveLength(1)
  })
})

describe('a call', () => {
  it.each([
    ['the server does not answer', 'hang', 'no answer within the deadline'],
    ['the answer never ends', new Response(new ReadableStream({ pull: () => new Promise(() => undefined) })), ''],
  ] as const)('ends at its deadline, if %s', async (_, answer, message) => {
    const { io } = await withAnswers([answer])
    const expected = { kind: 'unreachable', message: expect.stringContaining(message) as unknown }
    expect(await thrown(io.descriptor({ deadlineMs: 50 }))).toMatchObject(expected)
  })

  it.each([Number.NaN, -1, '5000'])('refuses the deadline %s', async (given) => {
    const deadlineMs = given as number
    const { io, requests } = await withAnswers([success])
    expect(await thrown(io.pin(1).output('high', { deadlineMs }))).toMatchObject({ kind: 'invalid' })
    expect(await thrown(withAnswers([success], { deadlineMs }))).toMatchObject({ kind: 'invalid' })
    expect(requests).toEqual([])
  })

  it('sends nothing when its deadline is over', async () => {
    const { io, requests } = await withAnswers([success])
    expect(await thrown(io.pin(1).output('high', { deadlineMs: 0 }))).toMatchObject({ kind: 'unreachable', mayBeDone: false })
    expect(requests).toEqual([])
  })

  it.each([1e12, Number.POSITIVE_INFINITY])('may have a deadline of %s ms', async (deadlineMs) => {
    const { io } = await withAnswers([success])
    await io.pin(1).output('high', { deadlineMs })
  })

  it.each(['close', 'abort'])('ends during the pause before a repetition with %s', async (how) => {
    const { io, device, requests } = await withAnswers([error(503, { 'retry-after': '3600' })], { deadlineMs: 4_000_000 })
    const end = new AbortController()
    const call = thrown(io.descriptor({ signal: end.signal }))
    await expect.poll(() => requests.length).toBe(1)
    if (how === 'close') await device.close()
    else end.abort(new Error('enough'))
    expect(await call).toMatchObject({ message: expect.stringMatching(/client is closed|enough/) as unknown })
  })

  it('ends with the reason of its signal', async () => {
    const { io } = await withAnswers(['hang'])
    const end = new AbortController()
    const call = thrown(io.descriptor({ signal: end.signal }))
    const reason = new Error('enough')
    end.abort(reason)
    expect(await call).toBe(reason)
    expect(await thrown(io.descriptor({ signal: end.signal }))).toBe(reason)
  })

  it('ends when the client is closed', async () => {
    const { url } = await servedTwin()
    const device = await connected(url)
    await device.close()
    expect(await thrown(device.io(3).descriptor())).toMatchObject({ kind: 'unreachable', canRetry: false })
  })
})

describe('connect', () => {
  it('does not use a service that comes later with another major version of the API', async () => {
    let answer = error(404)
    const transport: Transport = (path) =>
      Promise.resolve(path === '/api/io/1.0/' ? root() : path === '/api/power/1.0/' ? answer.clone() : notFound.clone())
    const device = await connected(URL, { transport })
    answer = root(2)
    await expect(device.context.sessions.refresh('power')).rejects.toMatchObject({ kind: 'version' })
    expect(device.modules.map(({ service }) => service)).toEqual(['io'])
  })

  it('says why a service cannot be used while others can', async () => {
    const transport: Transport = (path) =>
      Promise.resolve(path === '/api/io/1.0/' ? root() : path === '/api/bmc/1.0/' ? error(403) : notFound.clone())
    const device = await connected(URL, { transport })
    expect(() => device.bmc()).toThrow(expect.objectContaining({ kind: 'credentials', status: 403 }) as Error)
    expect(() => device.power()).toThrow(expect.objectContaining({ kind: 'not-found' }) as Error)
  })

  it('refuses another major version of the API', async () => {
    const transport = () => Promise.resolve(root(2))
    await expect(connected(URL, { transport })).rejects.toMatchObject({
      kind: 'version',
      message: expect.stringContaining('this client knows 1') as unknown,
    })
  })

  it.each([
    ['a server without these services', notFound, 'not-found'],
    ['a page', new Response('<html>'), 'unreachable'],
    ['another JSON service', Response.json({}), 'unreachable'],
    ['a server that sends elsewhere', new Response(null, { status: 301 }), 'unreachable'],
    ['a server that wants a token', error(401), 'credentials'],
    ['no server', networkError('ECONNREFUSED'), 'unreachable'],
  ])('rejects %s', async (_, answer, kind) => {
    const { transport } = scripted(answer)
    await expect(connected(URL, { transport, deadlineMs: 300 })).rejects.toMatchObject({ kind })
  })
})

describe('the search for /slotwire/', () => {
  it.each([
    ['a page for every path', new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['no answer for other paths', 'hang'],
    ['an answer that a browser does not show', networkError('')],
  ] as const)('finds none on a server with %s', async (_, others) => {
    const { device } = await withAnswers([success], { deadlineMs: 200 }, others)
    expect(device.extensions).toBe(false)
  })

  it('rejects while Slotwire starts, or when the server has gone', async () => {
    const starting = error(503, { 'slotwire-error': 'starting' })
    expect(await thrown(withAnswers([], { deadlineMs: 200 }, starting))).toMatchObject({ kind: 'restarting' })
    const { transport } = scripted(root(), root(), root(), networkError('ECONNREFUSED'))
    expect(await thrown(connected(URL, { transport, deadlineMs: 200 }))).toMatchObject({ kind: 'unreachable' })
  })

  it('rejects while Slotwire starts, if the deadline cuts off the last attempt', async () => {
    let asked = 0
    const transport: Transport = (path) => {
      if (path !== '/slotwire') return Promise.resolve(root())
      return ++asked === 1 ? Promise.resolve(error(503, { 'slotwire-error': 'starting' })) : new Promise(() => undefined)
    }
    expect(await thrown(connected(URL, { transport, deadlineMs: 200 }))).toMatchObject({ kind: 'restarting' })
    expect(asked).toBe(2)
  })
})

it('sends the token as the specification says, in UTF-8', async () => {
  const sent: (string | undefined)[] = []
  const transport: Transport = (_, { headers }) => {
    sent.push(headers['authorization'])
    return Promise.resolve(root())
  }
  await connected(URL, { transport, token: 'ä:b' })
  expect(new Set(sent)).toEqual(new Set([`Basic ${Buffer.from('token:ä:b').toString('base64')}`]))
})

it('does not show the password of an address that it refuses', async () => {
  for (const address of ['http://user:secret@127.0.0.1', 'http://user:secret@:bad'])
    await expect(connected(address)).rejects.toThrow(/^(?!.*secret)/)
})

describe('a setup', () => {
  /** A server whose module gets a new session at each reset, as that of the original services. */
  async function original(options: ConnectOptions = {}) {
    let session = 1
    const requests: string[] = []
    const device = await connected(URL, {
      ...options,
      transport: async (path, { method }) => {
        if (path === '/api/io/1.0/') {
          const list = (await root().json()) as { devices: object[] }
          return Response.json({ ...list, devices: [{ ...list.devices[0], device_session: `S${session}` }] })
        }
        if (!path.startsWith('/api/io/1.0/3/')) return notFound.clone()
        requests.push(`${method} ${path.slice('/api/io/1.0/3/'.length)}`)
        if (path.endsWith('/reset')) session++
        return success.clone()
      },
    })
    return { io: device.io(3), device, requests, restart: () => session++ }
  }

  it('is not repeated because of its own reset', async () => {
    const { io, device, requests } = await original()
    await io.setup((module) => module.reset())
    await device.context.sessions.refresh('io')
    await device.context.sessions.refresh('io')
    expect(requests).toEqual(['POST reset'])
    expect(io.session).toBe('S2')
  })

  it('is repeated if the module restarts after its own reset', async () => {
    const { io, requests, restart } = await original()
    let runs = 0
    await io.setup(async (module) => {
      runs++
      await module.reset()
      if (runs === 1) restart()
      await module.pin(1).mode('digital')
    })
    expect(requests).toEqual(['POST reset', 'POST input/mode', 'POST reset', 'POST input/mode'])
  })

  it.each(['wait', 'fail'] as const)('makes other writes %s', async (duringSetup) => {
    const { io, device, requests, restart } = await original({ duringSetup })
    let release = (): void => undefined
    let runs = 0
    await io.setup(async (module) => {
      runs++
      if (runs > 1)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      await module.pin(1).mode('digital')
    })
    restart()
    await device.context.sessions.refresh('io')
    const write = thrown(io.pin(2).output('high', { deadlineMs: 5000 }))
    if (duringSetup === 'fail') expect(await write).toMatchObject({ kind: 'session-changed', canRetry: true })
    release()
    await expect.poll(() => requests.filter((request) => request === 'POST input/mode').length).toBe(2)
    expect(await write).toEqual(duringSetup === 'fail' ? expect.any(ClientError) : undefined)
    expect(requests.at(-1)).toBe(duringSetup === 'fail' ? 'POST input/mode' : 'POST output/state')
  })

  it('runs one after the other if there are several for a slot, and the last is kept', async () => {
    const { io, requests, device, restart } = await original()
    await Promise.all([io.setup((module) => module.pin(1).mode('digital')), io.setup((module) => module.pin(2).output('high'))])
    expect(requests).toEqual(['POST input/mode', 'POST output/state'])
    await expect(io.setup(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    restart()
    await device.context.sessions.refresh('io')
    await expect.poll(() => requests).toEqual(['POST input/mode', 'POST output/state', 'POST output/state'])
  })

  it('is not run for an old answer that arrives late', async () => {
    const late: ((answer: Response) => void)[] = []
    let isHeld = false
    const list = async (session: string): Promise<Response> => {
      const body = (await root().json()) as { devices: object[] }
      return Response.json({ ...body, devices: [{ ...body.devices[0], device_session: session }] })
    }
    let session = 'S'
    const device = await connected(URL, {
      transport: (path) => {
        if (path !== '/api/io/1.0/') return Promise.resolve(notFound.clone())
        return isHeld ? new Promise((resolve) => late.push(resolve)) : list(session)
      },
    })
    isHeld = true
    const old = device.context.sessions.refresh('io')
    isHeld = false
    session = 'T'
    await device.context.sessions.refresh('io')
    late[0]?.(await list('S'))
    await old
    expect(device.io(3).session).toBe('T')
  })

  it('rejects if the module leaves while it runs', async () => {
    const { url, twin } = await servedTwin()
    const device = await connected(url)
    const setup = device.io(3).setup(() => {
      twin.bench.slot(3).unplug()
      return expect.poll(() => device.context.sessions.refresh('io').then(() => device.io(5).session)).toBeDefined()
    })
    await expect(setup).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('gives up a waiting write at its deadline', async () => {
    const { io, device, restart } = await original()
    let runs = 0
    await io.setup(() => (runs++ === 0 ? Promise.resolve() : new Promise(() => undefined)))
    restart()
    await device.context.sessions.refresh('io')
    expect(await thrown(io.pin(2).output('high', { deadlineMs: 50 }))).toMatchObject({ kind: 'session-changed' })
  })
})
