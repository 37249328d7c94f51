import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { nextTurn } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createToy, heldReading, type Toy } from '../../../service/src/toy.testkit.ts'
import { connectionOf, listen } from './door.ts'
import { answersIn, dial, readToEnd, readUntil, talk } from './socket.testkit.ts'

const HOST = 'Host: localhost\r\n'
const END = 'Connection: close\r\n'
const post = (headers: string, body = '') =>
  `POST /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`
let toy: Toy
let port = 0

beforeEach(async () => {
  // Long enough for a busy machine to read all bytes.
  toy = await createToy({ limits: { headersTimeoutMs: 400, requestTimeoutMs: 500, timeoutCheckMs: 10 } })
  port = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address.port
})

afterEach(() => toy.service.close())

async function onlyAnswer(bytes: string) {
  const [answer, ...more] = answersIn(await talk(port, bytes))
  expect(more).toEqual([])
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Number of all listeners. */
function listenersOf(emitter: EventEmitter | undefined): number {
  return emitter?.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0) ?? 0
}

/** Names of the refusals of a door, or their beginning, by status. */
const names = ['malformed-request', 'not-found', 'request-timeout', 'body-too-large', 'content-', 'headers-too-large']
const nameOf = new Map([400, 404, 408, 413, 415, 431].map((status, index) => [status, names[index]]))

/** The only response to these bytes; its body must be exactly an error body, and its name in the header. */
async function refusal(...parts: (string | Buffer)[]) {
  const answers = answersIn(await talk(port, ...parts))
  expect(answers).toHaveLength(1)
  const [answer] = answers
  const body = JSON.parse(answer?.body ?? '') as Record<string, unknown>
  expect(Object.keys(body)).toEqual(['status', 'code', 'message'])
  expect(body).toMatchObject({ status: 'error', code: answer?.status })
  expect(answer?.body.endsWith('}\n')).toBe(true)
  expect(answer?.headers).toMatchObject({ 'content-type': 'application/json', connection: 'close' })
  expect(answer?.headers['slotwire-error']).toContain(nameOf.get(answer?.status ?? 0))
  return { status: answer?.status, message: String(body['message']) }
}

describe('requests that the HTTP parser refuses', () => {
  it.each([
    ['an invalid request line', 'GARBAGE\r\n\r\n'],
    ['an unknown method', `FLY / HTTP/1.1\r\n${HOST}\r\n`],
    ['an unknown version', `GET / HTTP/9.9\r\n${HOST}\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a colon', `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['a tab in the path', `GET /api/\tio/ HTTP/1.1\r\n${HOST}\r\n`],
    ['a form feed in the path', `GET /api/io/\f HTTP/1.1\r\n${HOST}\r\n`],
    ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: x\r\n\r\n`],
    ['a space in the name of a header', `GET / HTTP/1.1\r\n${HOST}a b: x\r\n\r\n`],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${HOST}a: b\0c\r\n\r\n`],
    ['a Content-Length that is not a number', post('Content-Length: ten\r\n', '{}')],
    ['two different lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}')],
    ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '{}')],
    ['an invalid chunk size', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}')],
    ['a missing Host header', `GET /slotwire/livez HTTP/1.1\r\n\r\n`],
    ['251 headers', `GET /slotwire/livez HTTP/1.1\r\n${HOST}${'a: b\r\n'.repeat(250)}\r\n`],
    ['two Host headers', `GET /slotwire/livez HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    [
      'two Authorization headers',
      `GET /slotwire/livez HTTP/1.1\r\n${HOST}Authorization: Basic a\r\nauthorization: Basic b\r\n\r\n`,
    ],
    ['no version', 'GET /slotwire/livez\r\n\r\n'],
    ['HTTP/2 as the version', `GET /slotwire/livez HTTP/2.0\r\n${HOST}\r\n`],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03])],
  ])('get 400 for %s', async (_, bytes) => expect((await refusal(bytes)).status).toBe(400))

  it('get 431 for headers over 16 KiB', async () =>
    expect((await refusal(`GET / HTTP/1.1\r\n${HOST}x: ${'a'.repeat(17_000)}\r\n\r\n`)).status).toBe(431))

  it('get 408 for unfinished headers, an unfinished body, and no bytes', async () => {
    const late = (part: string, seconds: number) => ({
      status: 408,
      message: `the request did not arrive in time: send ${part} within ${seconds} seconds`,
    })
    const refusals = ['GET / HTTP/1.1\r\n', post('Content-Length: 11\r\n', '{"le'), ''].map((bytes) => refusal(bytes))
    expect(await Promise.all(refusals)).toEqual([late('its headers', 0.4), late('it whole', 0.5), late('its headers', 0.4)])
  })

  it('get 408 for late headers in the second request of a connection', async () => {
    const [first, second] = answersIn(await talk(port, `GET /slotwire/livez HTTP/1.1\r\n${HOST}\r\nGET /slot`))
    expect([first?.status, second?.status]).toEqual([200, 408])
    expect(second?.body).toContain('send its headers within 0.4 seconds')
  })

  it('get 400 for an unknown expectation, while 100-continue works', async () => {
    expect(await refusal(`GET / HTTP/1.1\r\n${HOST}Expect: wonders\r\n\r\n`)).toEqual({
      status: 400,
      message: 'the HTTP request is malformed: the Expect header must be 100-continue, or left out',
    })
    const text = await talk(port, post(`Content-Length: 11\r\nExpect: 100-continue\r\n${END}`, '{"level":1}'))
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  })

  it.each([
    ['a length beyond the bound', post('Content-Length: 70000\r\nExpect: 100-continue\r\n'), 413],
    [
      'a wrong type from a page',
      `POST /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}Origin: http://localhost\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n`,
      415,
    ],
    ['an unknown path', `POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 11\r\nExpect: 100-continue\r\n\r\n`, 404],
  ])('get a refusal instead of 100 Continue, and the connection is closed: %s', async (_, head, status) =>
    expect((await refusal(head)).status).toBe(status),
  )

  it('keep the connection after a body that followed 100 Continue', async () => {
    const socket = await dial(port)
    socket.write(post('Content-Length: 11\r\nExpect: 100-continue\r\n'))
    await readUntil(socket, '100 Continue')
    const all = readToEnd(socket)
    socket.write(`{"level":1}GET /slotwire/livez HTTP/1.1\r\n${HOST}${END}\r\n`)
    expect(answersIn(await all).map(({ status }) => status)).toEqual([200, 200])
  })

  it.each(['gzip', 'br', 'identity, gzip'])('get 415 for a body with Content-Encoding: %s', async (coding) =>
    expect(await refusal(post(`Content-Length: 11\r\nContent-Encoding: ${coding}\r\n${END}`, '{"level":1}'))).toEqual({
      status: 415,
      message: 'the content encoding is not supported: send the body as it is, without Content-Encoding',
    }),
  )

  it('may have a body with Content-Encoding: identity', async () => {
    const answer = await onlyAnswer(post(`Content-Length: 11\r\nContent-Encoding: identity\r\n${END}`, '{"level":1}'))
    expect(answer.status).toBe(200)
  })

  it('get a message that explains the fault', async () => {
    const reason = async (bytes: string) => (await refusal(bytes)).message.replace('the HTTP request is malformed: ', '')
    expect(await reason('GARBAGE\r\n\r\n')).toBe('it must be HTTP/1.1, beginning with a line like GET /api/io/ HTTP/1.1')
    expect(await reason(post('Content-Length: ten\r\n'))).toBe('Content-Length must be the number of bytes of the body')
    expect(await reason(post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'))).toBe(
      'the body must come as it is, or in chunks: Transfer-Encoding: chunked',
    )
  })

  it('get the same headers as other refusals', async () => {
    const [broken, unknown] = [await onlyAnswer('GARBAGE\r\n\r\n'), await onlyAnswer(`GET /x HTTP/1.1\r\n${HOST}${END}\r\n`)]
    const others = Object.keys(unknown.headers).filter((name) => name !== 'slotwire-hint')
    expect(Object.keys(broken.headers).sort()).toEqual(others.sort())
    expect(broken.headers['date']).toMatch(/ GMT$/)
  })

  it('get 404 for CONNECT', async () =>
    expect(await refusal(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`)).toEqual({ status: 404, message: 'Not Found' }))

  it('do no harm if the client of CONNECT resets the connection after its 404', async () => {
    const client = await dial(port)
    client.allowHalfOpen = true
    client.write(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`)
    await readUntil(client, 'Not Found')
    client.resetAndDestroy()
    await expect.poll(() => toy.service.context.requests.connections.loopback).toBe(0)
  })

  it('get 404 for a target that is not a path', async () =>
    expect(answersIn(await talk(port, `OPTIONS * HTTP/1.1\r\n${HOST}${END}\r\n`))[0]?.status).toBe(404))

  it('get one response each, even if a body breaks or never ends after a refusal', async () => {
    const unread = (headers: string) => `POST /nowhere HTTP/1.1\r\n${HOST}${headers}\r\n`
    const requests = [
      `${unread('Transfer-Encoding: chunked\r\n')}zz\r\n`,
      unread('Content-Length: 5\r\n'),
      post('Content-Length: 70000\r\n'),
    ]
    const answers = await Promise.all(requests.map(onlyAnswer))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 413])
  })

  it.each([
    ['an unknown path', 404, `POST /nowhere HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`],
    ['a broken head', 400, 'GARBAGE\r\n\r\n'],
  ])('get one response, whatever follows a refusal for %s, and each chunk adds no listener', async (_, status, bytes) => {
    const accepted = vi.spyOn(toy.service.context.requests, 'countConnection')
    const client = await dial(port)
    client.allowHalfOpen = true
    const all = readToEnd(client)
    await expect.poll(() => accepted.mock.calls.length).toBe(1)
    const server = accepted.mock.calls[0]?.[1] as Socket
    const send = async (chunk: string) => {
      const readBefore = server.bytesRead
      client.write(chunk)
      while (!server.destroyed && server.bytesRead < readBefore + chunk.length) await nextTurn()
    }
    const held = () => [server, connectionOf(server).latest].map(listenersOf).concat(toy.clock.pending)
    await send(bytes)
    await send('zz\r\n')
    const before = held()
    for (let chunk = 0; chunk < 30; chunk++) await send('zz\r\n')
    expect([server.destroyed, ...held()]).toEqual([false, ...before])
    client.end()
    expect(answersIn(await all).map((answer) => answer.status)).toEqual([status])
  })

  it('get 400 for a body that stops half-way', async () => {
    const socket = await dial(port)
    socket.end(post('Content-Length: 11\r\n', '{"le'))
    const [answer] = answersIn(await readToEnd(socket))
    expect(answer?.status).toBe(400)
    expect(answer?.body).toContain('the connection ended before the body did')
    expect(toy.slot.sent).toEqual([])
  })
})

describe('requests that a door accepts', () => {
  it('include absolute targets, HTTP/1.0, and an Upgrade that it ignores', async () => {
    const get = async (bytes: string) => answersIn(await talk(port, bytes)).map(({ status }) => status)
    expect(await get(`GET http://127.0.0.1/api/toy/1.0/3/level HTTP/1.1\r\n${HOST}${END}\r\n`)).toEqual([200])
    expect(await get('GET /api/toy/1.0/3/level HTTP/1.0\r\n\r\n')).toEqual([200])
    const upgrade = `GET /slotwire/livez HTTP/1.1\r\n${HOST}Connection: upgrade, close\r\nUpgrade: websocket\r\n\r\n`
    expect(await get(upgrade)).toEqual([200])
  })

  it('include HEAD, with the headers of GET and no body', async () => {
    const ask = (method: string) => talk(port, `${method} /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}${END}\r\n`)
    const [get, head] = [await ask('GET'), await ask('HEAD')]
    const headersOf = (text: string) => text.split('\r\n\r\n')[0]?.replace(/Date:.*/, '')
    expect(head.endsWith('\r\n\r\n')).toBe(true)
    expect(headersOf(head)).toBe(headersOf(get))
  })

  it('include GET with a body, which is dropped', async () => {
    const get = `GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}Content-Length: 4\r\n`
    const answers = answersIn(await talk(port, `${get}\r\nblah${get}${END}\r\nblah`))
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '{"level":7}\n'],
      [200, '{"level":7}\n'],
    ])
  })

  it('include a request after one whose body was not read', async () => {
    const big = 'x'.repeat(200_000)
    const answers = answersIn(
      await talk(port, post('Content-Length: 200000\r\n', big), `GET /slotwire/livez HTTP/1.1\r\n${HOST}${END}\r\n`),
    )
    expect(answers.map(({ status }) => status)).toEqual([413, 200])
  })

  it('include a body in chunks, up to the size limit', async () => {
    const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
    const small = await talk(port, post(`Transfer-Encoding: chunked\r\n${END}`, chunked('{"level":1}')))
    const large = await talk(port, post(`Transfer-Encoding: chunked\r\n${END}`, chunked(' '.repeat(65_537))))
    expect([small, large].map((text) => answersIn(text)[0]?.status)).toEqual([200, 413])
  })
})

it('a client that ends its side while it waits gets its response', async () => {
  const { reading, finish } = heldReading(toy.slot)
  const socket = await dial(port)
  const all = readToEnd(socket)
  socket.end(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\n`)
  await reading
  // The end has arrived when a later request on another connection is answered.
  await talk(port, `GET /slotwire/livez HTTP/1.1\r\n${HOST}${END}\r\n`)
  finish({ level: 5 })
  expect(answersIn(await all).map(({ status, body }) => [status, body])).toEqual([[200, '{"level":5}\n']])
})

describe('Service.close', () => {
  it('finishes running requests with Connection: close and closes idle connections at once', async () => {
    const { reading, finish } = heldReading(toy.slot)
    const [silent, idle, busy] = [await dial(port), await dial(port), await dial(port)]
    const endings = [readToEnd(silent), readToEnd(busy)]
    idle.write(`GET /slotwire/livez HTTP/1.1\r\n${HOST}\r\n`)
    await readUntil(idle, 'success')
    const idleEnd = new Promise((resolve) => idle.once('close', resolve))
    busy.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\n`)
    await reading
    const closed = toy.service.close()
    await idleEnd
    expect(await endings[0]).toBe('')
    finish({ level: 5 })
    const [answer] = answersIn((await endings[1]) ?? '')
    expect([answer?.status, answer?.body, answer?.headers['connection']]).toEqual([200, '{"level":5}\n', 'close'])
    await closed
  })

  it('reports not ready while requests finish, and closes each connection after its response', async () => {
    const { reading, finish } = heldReading(toy.slot)
    const socket = await dial(port)
    const all = readToEnd(socket)
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
    socket.write(get('/api/toy/1.0/3/level'))
    await reading
    const closed = toy.service.close()
    expect((await toy.service.inject('/slotwire/readyz')).statusCode).toBe(503)
    finish({ level: 1 })
    await closed
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
  })

  it('refuses requests that wait for a module or a body, and finishes those that have started', async () => {
    const { reading, finish } = heldReading(toy.slot)
    const [busy, waiting, sending] = [await dial(port), await dial(port), await dial(port)]
    const heards = [readToEnd(busy), readToEnd(waiting), readToEnd(sending)]
    busy.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\n`)
    await reading
    toy.slot.gate = new Promise(() => undefined)
    // Two requests on one connection: both are answered.
    waiting.write(post('Content-Length: 11\r\n', '{"level":1}') + post('Content-Length: 11\r\n', '{"level":2}'))
    sending.write(post('Content-Length: 11\r\n', '{"le'))
    await talk(port, `GET /slotwire/livez HTTP/1.1\r\n${HOST}${END}\r\n`)
    const closed = toy.service.close()
    await toy.clock.advance(1000)
    expect(answersIn((await heards[1]) ?? '').map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [503, 'keep-alive'],
      [503, 'close'],
    ])
    expect(answersIn((await heards[2]) ?? '').map(({ status, body }) => [status, body])).toEqual([
      [503, '{"status":"error","code":503,"message":"the service is stopping"}\n'],
    ])
    expect(toy.slot.sent.map(({ command }) => command)).toEqual(['GET_LEVEL'])
    finish({ level: 5 })
    expect(answersIn((await heards[0]) ?? '').map(({ status }) => status)).toEqual([200])
    await closed
  })

  it('starts no request after the last response of a connection', async () => {
    const { reading, finish } = heldReading(toy.slot)
    toy.slot.script = { ...toy.slot.script, FEED: {} }
    const socket = await dial(port)
    const all = readToEnd(socket)
    socket.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\n`)
    await reading
    const closed = toy.service.close()
    socket.write(`GET /api/toy/1.0/3/feed HTTP/1.1\r\n${HOST}\r\n`)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    finish({ level: 5 })
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    expect(toy.slot.sent.map(({ command }) => command)).toEqual(['GET_LEVEL'])
    await closed
  })

  it('refuses requests that do not finish in time', async () => {
    const { reading } = heldReading(toy.slot)
    const socket = await dial(port)
    const end = readToEnd(socket)
    socket.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\n`)
    await reading
    const closed = toy.service.close()
    await toy.clock.advance(1350)
    expect(answersIn(await end).map(({ status, headers }) => [status, headers['connection']])).toEqual([[503, 'close']])
    await closed
  })
})
