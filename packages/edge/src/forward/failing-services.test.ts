import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answersIn, dial, readToEnd, readUntil, talk } from '../door/socket.testkit.ts'
import {
  CLOSE,
  closeAfterTest,
  FEED,
  forwardTo,
  head,
  httpService,
  NOTE,
  OK,
  openForwarder,
  PATH,
  post,
  rawService,
  scripted,
  type TestForwarder,
} from './forward.testkit.ts'

const BODY = '{"level":1}'
const POST = post(BODY)

const UNREACHABLE = 'the service toy cannot be reached, nothing was done: try again in a few seconds'
const LOST = 'the service toy sent an incomplete answer: the change may have been made'

/** The only response to these bytes, which must be exactly an error body. */
async function refusal(door: TestForwarder, bytes: string) {
  return refusalIn(await talk(door.port, bytes))
}

function refusalIn(text: string) {
  const answers = answersIn(text)
  expect(answers).toHaveLength(1)
  const body = JSON.parse(answers[0]?.body ?? '') as Record<string, unknown>
  expect(Object.keys(body)).toEqual(['status', 'code', 'message'])
  expect(body).toMatchObject({ status: 'error', code: answers[0]?.status })
  expect(answers[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  return { status: answers[0]?.status, message: body['message'] }
}

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const service = await rawService(() => undefined)
  await service.close()
  return service.port
}

const unreachable = { status: 502, message: UNREACHABLE }
const lost = { status: 502, message: LOST }

describe('a service that is down', () => {
  it('causes a 502 with its name, for reads and writes', async () => {
    const door = closeAfterTest(await openForwarder({ toy: `http://127.0.0.1:${await closedPort()}` }))
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    expect(await refusal(door, POST)).toEqual(unreachable)
  })

  it('causes a 502 without a body for HEAD', async () => {
    const door = closeAfterTest(await openForwarder({ toy: `http://127.0.0.1:${await closedPort()}` }))
    expect(await talk(door.port, head(`HEAD ${PATH}`))).toMatch(/^HTTP\/1\.1 502 [\s\S]*content-length: \d+\r\n[\s\S]*\r\n\r\n$/)
  })

  it.each(['nonsense', 'ftp://127.0.0.1/', 'http://', 'http://127.0.0.1:99999'])(
    'causes a 502 for the invalid address %s',
    async (address) => {
      const door = closeAfterTest(await openForwarder({ toy: address }))
      expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    },
  )

  it('causes a 502 if its host name is unknown', async () => {
    const door = closeAfterTest(await openForwarder({ toy: 'http://unknown.invalid:8002' }))
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
  })

  it('causes a 502 after two seconds if it accepts no connection', async () => {
    // A server without TLS never finishes the handshake.
    const service = closeAfterTest(await rawService(() => undefined))
    const door = closeAfterTest(await openForwarder({ toy: `https://127.0.0.1:${service.port}` }))
    const answer = refusal(door, head(`GET ${PATH}`))
    await expect.poll(() => service.connections).toHaveLength(1)
    await expect.poll(() => door.clock.pending).toBe(1)
    await door.clock.advance(1999)
    expect(door.clock.pending).toBe(1)
    await door.clock.advance(1)
    expect(await answer).toEqual(unreachable)
  })

  it('does not affect other services, and is used again as soon as it is back', async () => {
    const other = closeAfterTest(await scripted(OK))
    const service = await httpService((_request, response) => response.end('{}'))
    const door = await forwardTo(service)
    door.upstreams['other'] = other.url
    expect(answersIn(await talk(door.port, head(`GET ${PATH}`)))[0]?.status).toBe(200)
    await service.close()
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    expect(answersIn(await talk(door.port, head('GET /api/other/')))[0]?.status).toBe(200)
    service.server.listen(service.port, '127.0.0.1')
    await expect.poll(() => service.server.listening).toBe(true)
    expect(answersIn(await talk(door.port, head(`GET ${PATH}`)))[0]?.status).toBe(200)
    expect(door.log).toEqual(['a service cannot be reached: toy', 'a service is reached again: toy'])
    service.server.close()
  })

  it('is assumed if the address leads back to the forwarder', async () => {
    const door = closeAfterTest(await openForwarder({}))
    door.upstreams['toy'] = `http://127.0.0.1:${door.port}`
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
  })
})

describe('a service that sends no valid response', () => {
  it.each([
    ['no bytes', ''],
    ['garbage', 'nonsense\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['half a status line', 'HTTP/1.1 200'],
    ['half the headers', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'],
    ['the headers and none of the body', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'],
    ['headers of more than 16 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}\r\nContent-Length: 2\r\n\r\n{}`],
    ['an invalid header', 'HTTP/1.1 200 OK\r\nx y: z\r\nContent-Length: 2\r\n\r\n{}'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} '],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['an unexpected coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a switch to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['an invalid status', 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\n{}'],
  ])('causes a 502 with %s', async (_, bytes) => {
    const door = await forwardTo(await scripted(bytes))
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    expect(await refusal(door, head(`GET ${NOTE}`))).toEqual(unreachable)
    expect(await refusal(door, POST)).toEqual(lost)
    expect(await refusal(door, head(`GET ${FEED}`))).toEqual(lost)
  })

  it('causes a 502 with a reset', async () => {
    const door = await forwardTo(await rawService((socket) => socket.once('data', () => socket.resetAndDestroy())))
    expect(await refusal(door, head(`GET ${PATH}`))).toEqual(unreachable)
    expect(await refusal(door, POST)).toEqual(lost)
  })

  it('causes a 502 after thirty seconds, and its connection is closed', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const answer = refusal(door, POST)
    await expect.poll(() => service.receivedOn(0)).toContain(BODY)
    await expect.poll(() => door.clock.pending).toBe(1)
    await door.clock.advance(29_999)
    expect(service.connections[0]?.destroyed).toBe(false)
    await door.clock.advance(1)
    expect(await answer).toEqual(lost)
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
  })

  it('causes a 502 after it has read no body for thirty seconds', async () => {
    const service = await rawService((socket) => socket.pause())
    const door = await forwardTo(service)
    const client = await dial(door.port)
    const all = readToEnd(client)
    client.write(head(`POST ${PATH}`, `Content-Length: 100000000\r\n${CLOSE}`))
    client.write(Buffer.alloc(32_000_000))
    await expect.poll(() => door.clock.pending).toBe(1)
    let isOver = false
    void all.then(() => {
      isOver = true
    })
    // Buffers on the way may still take a part of the body, which begins the thirty seconds again.
    await expect
      .poll(async () => {
        await door.clock.advance(30_000)
        return isOver
      })
      .toBe(true)
    expect(refusalIn(await all)).toEqual(lost)
  })
})

describe('an incomplete response', () => {
  const half = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":'
  const halfChunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'

  it.each([
    ['with a length', half],
    ['in chunks', halfChunked],
    ['with an invalid chunk', `${halfChunked}zz\r\n`],
  ])('is aborted, not completed: %s', async (_, bytes) => {
    const door = await forwardTo(await scripted(bytes))
    const text = await talk(door.port, head(`GET ${PATH}`))
    expect(text).toMatch(/\{"a":(\r\n)?$/)
    expect(door.log).toEqual(['a service cannot be reached: toy'])
  })

  it('causes a reset if only the end of the connection would show it', async () => {
    const door = await forwardTo(await scripted(halfChunked))
    const client = await dial(door.port)
    const failed = new Promise<string>((resolve) => client.once('error', (error) => resolve(String(error))))
    client.resume()
    client.write(`GET ${PATH} HTTP/1.0\r\n\r\n`)
    expect(await failed).toContain('ECONNRESET')
  })

  it('is aborted after thirty seconds without data', async () => {
    const service = await scripted(half, { keepOpen: true })
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`GET ${PATH}`, ''))
    await readUntil(client, '{"a":')
    const rest = readToEnd(client)
    await door.clock.advance(30_000)
    expect(await rest).toBe('')
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
  })
})

describe('a kept connection that the service closes during a request', () => {
  /** Answers the first request of a connection and resets it at the second. */
  const closesAtSecond = () => {
    const lines: string[] = []
    return rawService((socket) => {
      let requests = 0
      socket.on('data', (data) => {
        lines.push(data.toString().split('\r\n')[0] ?? '')
        if (++requests === 1) socket.write(OK)
        else socket.resetAndDestroy()
      })
    }).then((service) => Object.assign(service, { lines }))
  }

  it.each([
    ['a reading', head(`GET ${PATH}`), 200, 3],
    ['the page of the service', head('GET /api/toy/'), 200, 3],
    ['HEAD', head(`HEAD ${PATH}`), 200, 3],
    ['a notification', head(`GET ${NOTE}`), 502, 2],
    ['a GET with an effect', head(`GET ${FEED}`), 502, 2],
    ['a POST', POST, 502, 2],
    ['an unknown method', head(`PROPFIND ${PATH}`), 502, 2],
    ['an unknown path', head('GET /api/toy/1.0/3/unknown'), 502, 2],
    ['a reading with a body', head(`GET ${PATH}`, `Content-Length: 2\r\n${CLOSE}`) + '{}', 502, 2],
  ])('repeats only safe requests: %s', async (_, request, status, requests) => {
    const service = await closesAtSecond()
    const door = await forwardTo(service)
    await talk(door.port, head(`GET ${PATH}`))
    expect(await talk(door.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(service.lines).toHaveLength(requests)
  })
})

describe('a client that leaves', () => {
  it('aborts its request at the service too', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`GET ${NOTE}`))
    await expect.poll(() => service.receivedOn(0)).toContain('\r\n\r\n')
    client.resetAndDestroy()
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
    expect(door.clock.pending).toBe(0)
  })

  it('aborts its request, and the requests behind it are never sent', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`GET ${PATH}`, '') + head(`GET ${NOTE}`, ''))
    await expect.poll(() => service.connections).toHaveLength(1)
    client.resetAndDestroy()
    await expect.poll(() => service.connections.filter(({ destroyed }) => !destroyed)).toEqual([])
    expect([service.connections.length, door.clock.pending]).toEqual([1, 0])
  })

  it('during its request body causes no write', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`POST ${PATH}`, 'Content-Length: 11\r\n') + '{"le')
    await expect.poll(() => service.receivedOn(0)).toContain('{"le')
    client.resetAndDestroy()
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
    expect(door.writes.map(({ status }) => status)).toEqual([400])
  })

  it('during the response aborts it at the service', async () => {
    const service = await rawService((socket: Socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":'))
    })
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`GET ${PATH}`))
    await readUntil(client, '{"a":')
    client.resetAndDestroy()
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
  })

  it('gets a response if it has only ended its side', async () => {
    const door = await forwardTo(await scripted(OK))
    const client = await dial(door.port)
    const all = readToEnd(client)
    client.end(head(`GET ${PATH}`))
    expect(await all).toMatch(/^HTTP\/1\.1 200/)
  })
})
