import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answersIn, dial, readToEnd, readUntil, talk } from '../door/socket.testkit.ts'
import {
  CLOSE,
  forwardTo,
  head,
  httpService,
  OK,
  PATH,
  rawService,
  scripted,
  type TestForwarder,
  type TestUpstream,
} from './forward.testkit.ts'

const local = { door: 'loopback', address: '127.0.0.1', readOnly: false } as const

let behind: TestUpstream | undefined
let door: TestForwarder | undefined

async function serve<Service extends TestUpstream>(service: Service): Promise<Service> {
  behind = service
  door = await forwardTo(service)
  return service
}

const port = (): number => door?.port ?? 0

async function answerTo(...parts: string[]) {
  const [answer] = answersIn(await talk(port(), ...parts))
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Lines of the head that reached the service. */
async function forwardedHead(request: string, caller?: TestForwarder['caller']): Promise<readonly string[]> {
  const service = await serve(await scripted(OK))
  if (door !== undefined) door.caller = caller
  await talk(port(), request)
  return (service.receivedOn(0).split('\r\n\r\n')[0] ?? '').split('\r\n')
}

const CHUNK = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')])

/** Sends chunks as long as they are accepted; returns a function with their number. */
function offer(socket: Socket, first: string): () => number {
  let taken = 0
  const more = (): void => {
    taken++
    socket.write(CHUNK)
    socket.once('drain', more)
  }
  socket.write(first)
  more()
  return () => taken
}

/** Expects back pressure: no more data is accepted if the receiver reads nothing. */
async function expectToStall(taken: () => number): Promise<void> {
  let before = 0
  const isStill = (): boolean => {
    const now = taken()
    const still = now === before
    before = now
    return still
  }
  await expect.poll(isStill, { interval: 200, timeout: 4000 }).toBe(true)
  expect(before).toBeLessThan(64)
}

describe('Forwarder.forward', () => {
  it.each([
    ['unchanged', `GET ${PATH}?a=%20b&a`, `GET ${PATH}?a=%20b&a`],
    ['with its percent-encoding', 'GET /api/%74oy/1.0/%33/l%65vel/', 'GET /api/%74oy/1.0/%33/l%65vel/'],
    ['without the authority of an absolute target', `GET http://x.test${PATH}?q`, `GET ${PATH}?q`],
    ['with runs of slashes as one', 'GET //api///toy//1.0/3/level?a=//b', 'GET /api/toy/1.0/3/level?a=//b'],
    ['for the page of the service', 'GET /api/toy', 'GET /api/toy'],
    ['with an unknown method', `PROPFIND ${PATH}`, `PROPFIND ${PATH}`],
  ])('forwards a path of the service, %s', async (_, line, passed) => {
    expect((await forwardedHead(head(line)))[0]).toBe(`${passed} HTTP/1.1`)
  })

  it.each([
    '/',
    '/api',
    '/api/',
    '/api/other/',
    '/api/toys/',
    '/API/toy/',
    '/api%2ftoy/',
    '/api/toy%2f1.0/3/level',
    '/slotwire/livez',
    '/api/constructor/',
    '/api/__proto__/',
    '/api/%zz/toy',
    '/api/toy/../other/1.0/3/level',
    '/api/toy/%2e%2e/other/1.0/3/level',
    '/api/toy/1.0/./level',
    '/api/toy/1.0/3%2Flevel',
    '/api/toy/1.0/3%5clevel',
    '/x/../api/toy/',
    'http://x.test',
  ])('does not forward %s', async (path) => {
    const service = await serve(await scripted(OK))
    expect((await answerTo(head(`GET ${path}`))).status).toBe(418)
    expect(service.connections).toHaveLength(0)
  })

  it('forwards to a service that was added later', async () => {
    const service = await serve(await scripted(OK))
    if (door !== undefined) door.upstreams['more'] = service.url
    expect((await answerTo(head('GET /api/more/'))).status).toBe(200)
  })
})

describe('headers for the service', () => {
  it('are those of the client, in order, without connection headers', async () => {
    const sent = [
      'Accept: a',
      'Connection: close, X-Mine, keep-alive',
      'X-Mine: 1',
      'x-own: 2',
      'TE: trailers',
      'Trailer: x',
      'Upgrade: websocket',
      'Keep-Alive: timeout=5',
      'Proxy-Connection: close',
      'Proxy-Authorization: Basic eA==',
      'X-own: 3',
      'Cookie: a=b',
      'If-Match: "A"',
      'Slotwire-Lease: swl_A',
    ]
    const lines = await forwardedHead(head(`GET ${PATH}`, `${sent.join('\r\n')}\r\n`))
    expect(lines.slice(2, 8)).toEqual([
      'Accept: a',
      'x-own: 2',
      'X-own: 3',
      'Cookie: a=b',
      'If-Match: "A"',
      'Slotwire-Lease: swl_A',
    ])
    expect(lines.join('\n')).not.toMatch(/^(te|trailer|upgrade|keep-alive|proxy-|x-mine)/im)
  })

  it('name the service as host, and the client in X-Forwarded headers', async () => {
    const lines = await forwardedHead(head(`GET ${PATH}`), { door: 'network', address: '192.0.2.7', readOnly: false })
    expect(lines[1]).toBe(`Host: 127.0.0.1:${behind?.port}`)
    expect(lines).toEqual(
      expect.arrayContaining(['X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: http', 'X-Forwarded-Host: device.test']),
    )
    expect(lines.find((line) => line.startsWith('Via: '))).toMatch(/^Via: 1\.1 slotwire-[A-Z0-9]{12}$/)
  })

  it.each(['Origin: http://device.test', 'Sec-Fetch-Site: same-origin', 'Referer: http://device.test/'])(
    'say that a page sent the request: %s',
    async (header) => {
      expect(await forwardedHead(head(`GET ${PATH}`, `${header}\r\n`))).toContain('Sec-Fetch-Site: same-origin')
      expect((await forwardedHead(head(`GET ${PATH}`))).join('\n')).not.toMatch(/sec-fetch/i)
    },
  )

  it('contain no credentials and no forged headers', async () => {
    const forged = [
      'Authorization: Basic dG9rZW46c2VjcmV0',
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: evil.test',
      'X-Forwarded-Prefix: /a',
      'X_Forwarded_For: 10.0.0.2',
      'Forwarded: for=10.0.0.3',
      'X-Real-IP: 10.0.0.4',
      'Origin: https://device.test',
      'Referer: https://device.test/page',
      'Sec-Fetch-Site: cross-site',
    ]
    const lines = await forwardedHead(head(`GET ${PATH}`, `${forged.join('\r\n')}\r\n${CLOSE}`), local)
    expect(lines.join('\n')).not.toMatch(/authorization|10\.0\.0|evil|prefix|real-ip|^origin|^referer|cross-site/im)
    expect(lines.filter((line) => /^x.forwarded/i.test(line))).toEqual([
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: device.test',
    ])
  })

  it.each([
    ['a read-only caller', { ...local, readOnly: true }, '', true],
    ['a client that asks for read-only', local, 'Slotwire-Access: read-only\r\n', true],
    ['a client that misspells read-only', local, 'Slotwire-Access: readonly\r\n', true],
    ['no other caller', local, '', false],
    [
      'a read-only caller that lists the header in Connection',
      { ...local, readOnly: true },
      'Connection: Slotwire-Access\r\nSlotwire-Access: \r\n',
      true,
    ],
  ])('contain Slotwire-Access: read-only for %s', async (_, caller, headers, expected) => {
    const lines = await forwardedHead(head(`GET ${PATH}`, headers + CLOSE), caller)
    expect(lines.filter((line) => /^slotwire-access/i.test(line))).toEqual(expected ? ['Slotwire-Access: read-only'] : [])
  })

  it('contain scheme and host from a trusted proxy', async () => {
    const lines = await forwardedHead(head(`GET ${PATH}`, `X-Forwarded-Proto: https\r\nX-Forwarded-Host: box.test\r\n${CLOSE}`), {
      door: 'loopback',
      address: '192.0.2.9',
      readOnly: false,
    })
    expect(lines).toEqual(expect.arrayContaining(['X-Forwarded-Proto: https', 'X-Forwarded-Host: box.test']))
  })
})

describe('request bodies for the service', () => {
  const echo = () =>
    httpService((request, response) => {
      response.setHeader('x-length', String(request.headers['content-length']))
      response.setHeader('x-coding', String(request.headers['transfer-encoding']))
      request.pipe(response)
    })

  it('keep their length', async () => {
    await serve(await echo())
    const text = await talk(port(), head(`POST ${PATH}`, `Content-Length: 11\r\n${CLOSE}`), '{"level":1}')
    expect(text).toContain('x-length: 11\r\n')
    expect(text).toContain('{"level":1}')
  })

  it('keep a length that the client lists in Connection', async () => {
    const smuggled = `GET /api/toy/ HTTP/1.1\r\nHost: x\r\n\r\n`
    const headers = `Content-Length: ${smuggled.length}\r\nConnection: close, Content-Length\r\n`
    const service = await serve(await scripted(OK))
    await talk(port(), head(`POST ${PATH}`, headers), smuggled)
    expect(service.receivedOn(0)).toContain(`Content-Length: ${smuggled.length}\r\n`)
    expect(service.connections).toHaveLength(1)
  })

  it('stay chunked, without extensions and trailers', async () => {
    await serve(await echo())
    const text = await talk(
      port(),
      head(`POST ${PATH}`, `Transfer-Encoding: chunked\r\n${CLOSE}`),
      '2;x=y\r\n{"\r\n3\r\na":\r\n2\r\n1}\r\n0\r\nT: x\r\n\r\n',
    )
    expect(text).toContain('x-coding: chunked\r\n')
    expect(text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '')).toContain('{"a":1}')
  })

  it('are empty for a request without a body', async () => {
    const lines = await forwardedHead(head(`POST ${PATH}`))
    expect(lines).toContain('Content-Length: 0')
    expect(lines.join('\n')).not.toMatch(/transfer-encoding/i)
  })

  it('are requested when the service requests them', async () => {
    const service = await serve(
      await rawService((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 100 Continue\r\n\r\n')
          socket.once('data', () => socket.end(OK))
        })
      }),
    )
    const client = await dial(port())
    client.write(head(`POST ${PATH}`, `Content-Length: 11\r\nExpect: 100-continue\r\n${CLOSE}`))
    await readUntil(client, '100 Continue')
    expect(service.receivedOn(0)).toMatch(/Expect: 100-continue\r\n[\s\S]*\r\n\r\n$/)
    const rest = readToEnd(client)
    client.write('{"level":1}')
    expect(await rest).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(service.receivedOn(0)).toMatch(/\{"level":1\}$/)
  })

  it('are not requested if the service refuses the request', async () => {
    await serve(await scripted('HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}'))
    const text = await talk(port(), head(`POST ${PATH}`, 'Content-Length: 11\r\nExpect: 100-continue\r\n'))
    expect(text).toMatch(/^HTTP\/1\.1 404 /)
    expect(text).toContain('Connection: close\r\n')
  })

  it('are requested after a second if the service does not send 100 Continue', async () => {
    const service = await serve(await rawService(() => undefined))
    const client = await dial(port())
    client.write(head(`POST ${PATH}`, 'Content-Length: 11\r\nExpect: 100-continue\r\n'))
    await expect.poll(() => service.receivedOn(0)).toContain('\r\n\r\n')
    const asked = readUntil(client, '100 Continue')
    await door?.clock.advance(1000)
    await asked
    client.write('{"level":1}')
    await expect.poll(() => service.receivedOn(0)).toMatch(/\{"level":1\}$/)
    client.destroy()
  })

  it('stop while the service does not read them', async () => {
    await serve(await rawService((socket) => socket.pause()))
    const client = await dial(port())
    await expectToStall(offer(client, head(`POST ${PATH}`, 'Transfer-Encoding: chunked\r\n')))
    client.destroy()
  })
})

describe('responses for the client', () => {
  it('keep status and headers, without connection headers', async () => {
    const headers = [
      'Age: 1',
      'Cache-Control: no-cache',
      'X-A: 1',
      'X-a: 2',
      'Connection: X-Gone',
      'X-Gone: 1',
      'Keep-Alive: timeout=9',
    ]
    await serve(await scripted(`HTTP/1.1 207 Anything\r\n${headers.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`))
    const text = await talk(port(), head(`GET ${PATH}`))
    expect(text).toMatch(
      /^HTTP\/1\.1 207 [^\r]*\r\nAge: 1\r\nCache-Control: no-cache\r\nX-A: 1\r\nX-a: 2\r\nContent-Length: 2\r\n/,
    )
    expect(text).not.toMatch(/x-gone|timeout=9/i)
  })

  it('are passed on in parts as the service sends them', async () => {
    const service = await serve(await rawService(() => undefined))
    const client = await dial(port())
    client.write(head(`GET ${PATH}`))
    await expect.poll(() => service.receivedOn(0)).toContain('\r\n\r\n')
    service.connections[0]?.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n')
    await readUntil(client, '1\r\n1\r\n')
    const rest = readToEnd(client)
    service.connections[0]?.end('1\r\n2\r\n0\r\n\r\n')
    expect(await rest).toBe('1\r\n2\r\n0\r\n\r\n')
  })

  it('stop while the client does not read them', async () => {
    const service = await serve(await rawService(() => undefined))
    const client = await dial(port())
    client.pause()
    client.write(head(`GET ${PATH}`))
    await expect.poll(() => service.connections).toHaveLength(1)
    const connection = service.connections[0]
    if (connection === undefined) throw new Error('no connection')
    await expectToStall(offer(connection, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))
    client.destroy()
  })

  it.each([
    [
      'HEAD',
      head(`HEAD ${PATH}`),
      'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n',
      /^HTTP\/1\.1 200 OK\r\nContent-Length: 20\r\n[\s\S]*\r\n\r\n$/,
    ],
    ['204', head(`GET ${PATH}`), 'HTTP/1.1 204 No Content\r\n\r\n', /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/],
    [
      '304',
      head(`GET ${PATH}`),
      'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
      /^HTTP\/1\.1 304 [\s\S]*ETag: "a"[\s\S]*\r\n\r\n$/,
    ],
  ])('have no body if the service sends none: %s', async (_, request, answer, expected) => {
    await serve(await scripted(answer, { keepOpen: true }))
    expect(await talk(port(), request)).toMatch(expected)
  })

  it('are complete for HTTP/1.0', async () => {
    await serve(await scripted('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'))
    const text = await talk(port(), `GET ${PATH} HTTP/1.0\r\n\r\n`)
    expect(text).not.toMatch(/transfer-encoding/i)
    expect(text).toMatch(/\r\n\r\nabc$/)
  })

  it('may precede the end of the request body: the rest is dropped and the service connection closed', async () => {
    const service = await serve(await scripted('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}', { keepOpen: true }))
    const client = await dial(port())
    client.write(head(`POST ${PATH}`, 'Content-Length: 300000\r\n'))
    await readUntil(client, '{}')
    const next = readUntil(client, 'HTTP/1.1 413')
    client.write(Buffer.alloc(300_000))
    client.write(head(`POST ${PATH}`, 'Content-Length: 0\r\n'))
    await next
    expect(service.connections).toHaveLength(2)
    client.destroy()
  })

  it('use one connection to the service, one after another', async () => {
    const requests: IncomingMessage[] = []
    await serve(
      await httpService((request, response) => {
        requests.push(request)
        response.end('{}')
      }),
    )
    for (let count = 0; count < 3; count++) await answerTo(head(`GET ${PATH}`))
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(1)
  })
})
