import { SystemClock, seededRandom, silentLog } from '@slotwire/core'
import type { HttpLimits, WriteRecord } from '@slotwire/service'
import { afterEach, describe, expect, it } from 'vitest'
import { createToy, heldReading, type Toy, toyContract } from '../../../service/src/toy.testkit.ts'
import { answersIn, dial, readToEnd, readUntil, talk } from '../door/socket.testkit.ts'
import { listen } from '../listen.ts'
import { FEED, PATH } from './forward.testkit.ts'
import { Forwarder } from './forwarder.ts'

const HOST = 'Host: localhost\r\n'
const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const head = (line: string, headers = CLOSE) => `${line} HTTP/1.1\r\n${HOST}${headers}\r\n`
const post = (headers: string, body = '', path = PATH) => head(`POST ${path}`, JSON_TYPE + headers) + body
const BODY = '{"level":1}'
const LENGTH = `Content-Length: ${BODY.length}\r\n`
const HIDDEN = head(`GET ${FEED}`, '')

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Split {
  /** Door of the forwarder; its own service is never called. */
  readonly port: number
  readonly front: Toy
  /** The service behind the forwarder. */
  readonly behind: Toy
  readonly behindPort: number
  readonly writes: readonly WriteRecord[]
}

/** A door that forwards to a service with its own door. */
async function split(limits: Partial<HttpLimits> = {}): Promise<Split> {
  const [front, behind] = [await createToy({ limits }), await createToy()]
  const at = { host: '127.0.0.1', port: 0 }
  const behindPort = (await listen(behind.service, at)).address.port
  const writes: WriteRecord[] = []
  const forwarder = new Forwarder({
    upstreams: () => ({ toy: `http://127.0.0.1:${behindPort}` }),
    contracts: [toyContract],
    clock: new SystemClock(),
    log: silentLog,
    random: seededRandom(5),
    onWrite: (record) => writes.push(record),
  })
  const { address } = await listen(front.service, at, { forward: (...asked) => forwarder.forward(...asked) })
  ends.push(async () => {
    await Promise.all([front.service.close(), forwarder.close()])
    await behind.service.close()
  })
  return { port: address.port, front, behind, behindPort, writes }
}

const shapes: readonly (readonly [title: string, bytes: string])[] = [
  ['a length and chunks', post(`${LENGTH}Transfer-Encoding: chunked\r\n`, `0\r\n\r\n${HIDDEN}`)],
  ['chunks and a length', post(`Transfer-Encoding: chunked\r\n${LENGTH}`, `0\r\n\r\n${HIDDEN}`)],
  ['two lengths', post(`${LENGTH}Content-Length: 0\r\n`, BODY + HIDDEN)],
  ['the same length twice', post(LENGTH + LENGTH, BODY + HIDDEN)],
  ['a list of lengths', post('Content-Length: 11, 0\r\n', BODY + HIDDEN)],
  ['a length with a sign', post('Content-Length: +11\r\n', BODY + HIDDEN)],
  ['a length in hexadecimal', post('Content-Length: 0xb\r\n', BODY + HIDDEN)],
  ['a negative length', post('Content-Length: -1\r\n', HIDDEN)],
  ['a length with a space', post('Content-Length: 1 1\r\n', BODY + HIDDEN)],
  ['a coding that ends in chunked', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`)],
  ['a coding after chunked', post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`)],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`)],
  ['chunked with a space before the colon', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${HIDDEN}`)],
  ['chunked in a folded line', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${HIDDEN}`)],
  ['chunked after a bare line feed', post(`X: y\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${HIDDEN}`)],
  ['chunked in HTTP/1.0', `POST ${PATH} HTTP/1.0\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n${LENGTH}\r\n0\r\n\r\n${HIDDEN}`],
  ['an invalid chunk size', post('Transfer-Encoding: chunked\r\n', `0x0\r\n\r\n${HIDDEN}`)],
  ['a chunk size that overflows', post('Transfer-Encoding: chunked\r\n', `ffffffffffffffff0\r\n${HIDDEN}`)],
  ['a chunk that is longer than its size', post('Transfer-Encoding: chunked\r\n', `1\r\nab\r\n0\r\n\r\n${HIDDEN}`)],
  ['chunks ended by line feeds', post('Transfer-Encoding: chunked\r\n', `1\na\n0\n\n${HIDDEN}`)],
  ['a Host twice', `POST ${PATH} HTTP/1.1\r\n${HOST}${HOST}${JSON_TYPE}${LENGTH}\r\n${BODY}${HIDDEN}`],
]

describe('a request with an ambiguous end', () => {
  it.each(shapes)('is refused, and no request behind it runs: %s', async (_, bytes) => {
    const { port, front, behind } = await split()
    const answers = answersIn(await talk(port, bytes))
    expect(answers.map(({ status }) => status)).toEqual([400])
    expect(answers[0]?.headers['connection']).toBe('close')
    expect([...front.slot.sent, ...behind.slot.sent]).toEqual([])
  })

  it.each([
    ['a GET', head(`GET ${PATH}`, `Content-Length: ${HIDDEN.length}\r\n`) + HIDDEN, 200],
    [
      'a GET in chunks',
      head(`GET ${PATH}`, 'Transfer-Encoding: chunked\r\n') + `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
      200,
    ],
    ['a POST', post(`Content-Length: ${HIDDEN.length}\r\n`, HIDDEN), 400],
    [
      'a POST whose Connection header lists its length',
      post(`Content-Length: ${HIDDEN.length}\r\nConnection: Content-Length\r\n`, HIDDEN),
      400,
    ],
    [
      'a POST in chunks whose Connection header lists the coding',
      post(
        'Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding\r\n',
        `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
      ),
      400,
    ],
    ['a chunk’s extension', post('Transfer-Encoding: chunked\r\n', `b;x=y\r\n${BODY}\r\n0\r\n\r\n`), 200],
    ['a trailer', post('Transfer-Encoding: chunked\r\n', `b\r\n${BODY}\r\n0\r\nX-Length: 50\r\nHost: other\r\n\r\n`), 200],
  ])('does not run a request inside a body: %s', async (_, bytes, status) => {
    const { port, behind } = await split()
    const answers = answersIn(await talk(port, bytes, head(`GET ${PATH}`)))
    expect(answers.map((answer) => answer.status)).toEqual([status, 200])
    expect(behind.slot.sent.map(({ command }) => command)).not.toContain('FEED')
  })
})

describe('an incomplete body', () => {
  it('causes a 400 at once if a chunk is invalid', async () => {
    const { port, behind } = await split()
    const client = await dial(port)
    const all = readToEnd(client)
    client.write(post('Transfer-Encoding: chunked\r\n', '5\r\n{"lev\r\n'))
    client.write('nonsense\r\n')
    const [answer] = answersIn(await all)
    expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' } })
    expect(answer?.body).toContain('a chunk must begin with its size')
    expect(behind.slot.sent).toEqual([])
  })

  it('causes a 408 if it is late', async () => {
    const { port, behind, writes } = await split({ headersTimeoutMs: 60, requestTimeoutMs: 90, timeoutCheckMs: 10 })
    const answers = answersIn(await talk(port, post(LENGTH, '{"le')))
    expect(answers).toMatchObject([{ status: 408, headers: { connection: 'close' } }])
    expect(behind.slot.sent).toEqual([])
    expect(writes).toMatchObject([{ path: PATH, status: 408 }])
  })

  it('causes a 400 if the client has ended its side', async () => {
    const { port } = await split()
    const client = await dial(port)
    const all = readToEnd(client)
    client.end(post(LENGTH, '{"le'))
    expect(answersIn(await all)).toMatchObject([{ status: 400 }])
  })
})

describe('a door that forwards', () => {
  it.each([
    ['a reading', head(`GET ${PATH}`)],
    ['HEAD', head(`HEAD ${PATH}`)],
    ['a write', post(LENGTH + CLOSE, BODY)],
    ['an invalid field value', post(`Content-Length: 12\r\n${CLOSE}`, '{"level":10}')],
    ['another content type', head(`POST ${PATH}`, LENGTH + CLOSE) + BODY],
    ['a body of more than 64 KiB', post(`Content-Length: 70000\r\n${CLOSE}`, ' '.repeat(70_000))],
    [
      'a body of more than 64 KiB in chunks',
      post(`Transfer-Encoding: chunked\r\n${CLOSE}`, `11170\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`),
    ],
    ['a method that is not allowed', head(`DELETE ${PATH}`)],
    ['a version that is not supported', head('GET /api/toy/2.0/3/level')],
    ['a slot that is empty', head('GET /api/toy/1.0/4/level')],
    ['an unknown path', head('GET /api/toy/1.0/3/nowhere')],
    ['a cached value', head('GET /api/toy/1.0/3/level/cached')],
    ['a body that waits and is refused', post(`Content-Length: 70000\r\nExpect: 100-continue\r\n`)],
  ])('answers like the service itself: %s', async (_, bytes) => {
    const { port, behindPort } = await split()
    const responseOf = async (at: number) =>
      (await talk(at, bytes))
        .replace(/Date: [^\r]*/i, '')
        .split('\r\n')
        .map((line) => line.replace(/^[^ ]*:/, (name) => name.toLowerCase()))
        .sort()
    expect(await responseOf(port)).toEqual(await responseOf(behindPort))
  })

  it('requests a body when the service requests it', async () => {
    const { port, behind } = await split()
    const client = await dial(port)
    client.write(post(`${LENGTH}Expect: 100-continue\r\n`))
    await readUntil(client, '100 Continue\r\n\r\n')
    const rest = readToEnd(client)
    client.write(BODY + head(`GET ${PATH}`))
    expect(answersIn(await rest).map(({ status }) => status)).toEqual([200, 200])
    expect(behind.slot.sent[0]).toEqual({ command: 'SET_LEVEL', request: { level: 1 } })
  })

  it('keeps the order of responses', async () => {
    const { port, behind } = await split()
    const { reading, finish } = heldReading(behind.slot)
    const client = await dial(port)
    const all = readToEnd(client)
    client.write(head(`GET ${PATH}`, '') + head('GET /slotwire/livez', '') + head('GET /api/toy/1.0/4/level'))
    await reading
    finish({ level: 4 })
    expect(answersIn(await all).map(({ status, body }) => [status, body.slice(0, 12)])).toEqual([
      [200, '{"level":4}\n'],
      [200, '{"status":"s'],
      [404, '{"status":"e'],
    ])
  })

  it('refuses what the caller may not do without asking the service', async () => {
    const { port, behind } = await split()
    const readOnly = `Slotwire-Access: read-only\r\n${CLOSE}`
    expect(answersIn(await talk(port, post(LENGTH + readOnly, BODY)))[0]?.status).toBe(403)
    expect(answersIn(await talk(port, head(`GET ${FEED}`, readOnly)))[0]?.status).toBe(403)
    behind.slot.notifications.merge(Uint8Array.of(1))
    expect(answersIn(await talk(port, head('GET /api/toy/1.0/3/note/1', readOnly)))[0]?.body).toBe('{"rung":true}\n')
    expect(behind.slot.notifications.has(1)).toBe(true)
    expect(behind.slot.sent).toEqual([])
  })

  it('refuses requests that cannot finish while closing, and closes their connections', async () => {
    const { port, front, behind } = await split({ closeMs: 300 })
    const { reading, finish } = heldReading(behind.slot)
    const answer = talk(port, head(`GET ${PATH}`, ''))
    await reading
    const closing = Promise.all(ends.splice(0).map((end) => end()))
    await front.clock.advance(0)
    const [refused] = answersIn(await answer)
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close' } })
    finish({ level: 1 })
    await behind.clock.advance(300)
    await closing
  })
})
