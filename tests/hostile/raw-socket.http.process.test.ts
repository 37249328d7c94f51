import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { answersIn, dial, type RawAnswer, readToEnd, talk } from '../../packages/edge/src/door/socket.testkit.ts'
import { describeDevice } from '../device/device.testkit.ts'

const HOST = 'Host: localhost\r\n'
const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const VALUES = '/api/io/1.0/5/input/values'
const MODE = '/api/io/1.0/5/input/mode'
const BODY = '{"pin":6,"mode":"digital"}'
const LENGTH = `Content-Length: ${BODY.length}\r\n`
/** A request line and headers, with the final empty line. */
const head = (line: string, headers = '') => `${line} HTTP/1.1\r\n${HOST}${headers}\r\n`
const get = (path: string, headers = CLOSE) => head(`GET ${path}`, headers)
const post = (headers: string, body = '', path = MODE) => head(`POST ${path}`, `${JSON_TYPE}${headers}`) + body
const chunked = (body: string, path = MODE) => post(`Transfer-Encoding: chunked\r\n${CLOSE}`, body, path)
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const LAST = '0\r\n\r\n'

type Bytes = string | Buffer
/** The bytes to send, and the status of every answer in order. The connection ends after the last answer. */
type Case = readonly [title: string, bytes: Bytes, statuses: readonly number[]]

let talks = 0

afterAll(() => process.stdout.write(`${talks} conversations at the raw socket\n`))

/** Problems of an answer: an error must have the complete error body with its headers. */
function complaints({ status, headers, body }: RawAnswer): string[] {
  const parsed = JSON.parse(body) as Record<string, unknown>
  if (status < 400) return []
  const found: string[] = []
  if (Object.keys(parsed).join() !== 'status,code,message') found.push(`body ${body}`)
  if (parsed['status'] !== 'error' || parsed['code'] !== status) found.push(`body ${body} of a ${status}`)
  if (typeof parsed['message'] !== 'string' || parsed['message'] === '') found.push('no message')
  if (headers['content-type'] !== 'application/json') found.push(`content type ${headers['content-type']}`)
  if (headers['cache-control'] !== 'no-store') found.push(`cache-control ${headers['cache-control']}`)
  if (status === 405 && headers['allow'] === undefined) found.push('no allow')
  return found
}

const requestLines: readonly Case[] = [
  ['a method alone', 'GET\r\n\r\n', [400]],
  ['a word too many', `GET / x HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['a space first', ` GET / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['a method in lower case', `get / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['a protocol in lower case', `GET / http/1.1\r\n${HOST}\r\n`, [400]],
  ['HTTP/1.10', `GET / HTTP/1.10\r\n${HOST}\r\n`, [400]],
  ['another protocol', `GET / SIP/1.1\r\n${HOST}\r\n`, [400]],
  ['NUL bytes', Buffer.alloc(64), [400]],
  ['bytes of all kinds', Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index)), [400]],
  ['a NUL in the path', `GET /a\u0000b HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['TRACE', head('TRACE /api/io/', CLOSE), [405]],
  ['PROPFIND', head(`PROPFIND ${VALUES}`, CLOSE), [405]],
  ['a path of more than 16 KiB', get(`/${'a'.repeat(16_500)}`), [431]],
  ['a path of 15 KiB', get(`/${'a'.repeat(15_000)}`), [404]],
  ['a slot of 15 KiB', get(`/api/io/1.0/${'5'.repeat(15_000)}/input/values`), [404]],
  ['a query of more than 16 KiB', get(`${VALUES}?${'a'.repeat(16_500)}`), [431]],
  ['empty lines first', `\r\n\r\n${get(VALUES)}`, [200]],
]

const targets: readonly Case[] = [
  ...['%', '%2', '%zz', '%c3%28', '%ff', '%u0035', 'a%'].map(
    (text): Case => [`invalid percent-encoding: ${text}`, get(`/api/io/1.0/5/${text}`), [400]],
  ),
  ['invalid percent-encoding as slot', get('/api/io/1.0/%zz/input/values'), [400]],
  ['invalid percent-encoding as version', get('/api/io/%zz/5/input/values'), [400]],
  ['invalid percent-encoding in the query', get(`${VALUES}?%zz`), [200]],
  ['//', get('//'), [200]],
  ['// in front', get(`/${VALUES}`), [200]],
  ['// inside', get('/api/io/1.0//5///input/values//'), [200]],
  ['/../', get(`/api/bmc/..${VALUES.slice(4)}`), [404]],
  ['/../ beyond the root', get('/../../../etc/passwd'), [404]],
  ['encoded dots', get('/slotwire/docs/%2e%2e/%2e%2e/package.json'), [404]],
  ['/./', get('/api/io/1.0/5/./input/values'), [404]],
  ['an encoded slash', get('/api/io/1.0/5/input%2Fvalues'), [404]],
  ['an encoded slash in front of the slot', get('/api/io/1.0%2F5/input/values'), [404]],
  ['a backslash', get('/api\\io\\'), [404]],
  ['a semicolon', get(`${VALUES};a=b`), [404]],
  ['a query', get(`${VALUES}?a=b&a=c&__proto__=d`), [200]],
  ['a question mark', get(`${VALUES}?`), [200]],
  ['an absolute address without a path', get('http://localhost/'), [200]],
  ['an absolute address elsewhere', get(`http://example.org${VALUES}`), [403]],
  ['an authority', get('example.org:80'), [400]],
]

const headers: readonly Case[] = [
  ['a Host elsewhere', `GET ${VALUES} HTTP/1.1\r\nHost: example.org\r\n${CLOSE}\r\n`, [403]],
  ['an Origin elsewhere', get(VALUES, `Origin: https://example.org\r\n${CLOSE}`), [403]],
  ['an Origin on another port of this device', get(VALUES, `Origin: http://localhost:5173\r\n${CLOSE}`), [200]],
  ['a space before the colon', get(VALUES, 'a : x\r\n'), [400]],
  ['a line that is folded', get(VALUES, 'a: x\r\n y\r\n'), [400]],
  ['a CR in a value', get(VALUES, 'a: x\ry\r\n'), [400]],
  ['a value of 17 KiB', get(VALUES, `a: ${'x'.repeat(17_000)}\r\n`), [431]],
  ['a name of 17 KiB', get(VALUES, `${'x'.repeat(17_000)}: a\r\n`), [431]],
  ['2000 headers', get(VALUES, Array.from({ length: 2000 }, (_, index) => `abcdef${index}: x\r\n`).join('')), [431]],
  ['headers of 15 KiB', get(VALUES, `${CLOSE}a: ${'x'.repeat(15_000)}\r\n`), [200]],
  [
    'an Upgrade to HTTP/2',
    get(VALUES, 'Connection: upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: a\r\n'),
    [200],
  ],
]

const bodies: readonly Case[] = [
  ['a negative length', post('Content-Length: -1\r\n', BODY), [400]],
  ['a signed length', post(`Content-Length: +${BODY.length}\r\n`, BODY), [400]],
  ['a list of lengths', post(`Content-Length: 3, 3\r\n`, BODY), [400]],
  ['a length beyond all numbers', post('Content-Length: 99999999999999999999999\r\n', BODY), [400]],
  ['an unknown encoding', post('Transfer-Encoding: gzip\r\n', BODY), [400]],
  ['chunked, but not last', post('Transfer-Encoding: chunked, gzip\r\n', chunk(BODY) + LAST), [400]],
  ['no length: no body', post(CLOSE), [400]],
  ['a length of 0', post(`Content-Length: 0\r\n${CLOSE}`), [400]],
  ['chunks', chunked(chunk(BODY.slice(0, 5)) + chunk(BODY.slice(5)) + LAST), [200]],
  ['chunks of one byte', chunked(Array.from(BODY, chunk).join('') + LAST), [200]],
  ['chunks with a trailer', chunked(`${chunk(BODY)}0\r\na: b\r\n\r\n`), [200]],
  ['a negative chunk size', chunked(`-1\r\n${BODY}`), [400]],
  ['a chunk size beyond all numbers', chunked(`ffffffffffffffffff\r\n${BODY}`), [400]],
  ['a chunk that is longer than it says', chunked(`5\r\n${BODY}\r\n${LAST}`), [400]],
  ['chunks beyond the bound', chunked(chunk('x'.repeat(40_000)) + chunk('x'.repeat(40_000)) + LAST), [413]],
  ['a chunk extension beyond the bound', chunked(`1;${'x'.repeat(20_000)}\r\n{\r\n`), [413]],
  [
    'a wrong content type of a page and a broken chunk',
    head(`POST ${MODE}`, 'Origin: http://localhost\r\nContent-Type: a\r\nTransfer-Encoding: chunked\r\n') + 'zz\r\n',
    [415],
  ],
  ['an empty slot and a broken chunk', chunked('zz\r\n', '/api/io/1.0/4/input/mode'), [404]],
  ['a wrong method and a broken chunk', chunked('zz\r\n', VALUES), [405]],
  ['a GET with a broken chunk', get(VALUES, 'Transfer-Encoding: chunked\r\n') + 'zz\r\n', [200]],
]

const pipelines: readonly Case[] = [
  ['three good ones', get(VALUES, '') + post(LENGTH, BODY) + get('/api/io/'), [200, 200, 200]],
  [
    'refused ones',
    get('/nowhere', '') + get('/api/io/1.0/4/descriptor', '') + head(`PUT ${VALUES}`) + get(VALUES),
    [404, 404, 405, 200],
  ],
  [
    'refused bodies',
    post('Content-Length: 1\r\n', '{') + post('Content-Length: 2\r\n', '{}') + post(`${LENGTH}${CLOSE}`, BODY),
    [400, 422, 200],
  ],
  ['one with an unexpected body', head(`DELETE ${VALUES}`, 'Content-Length: 5\r\n') + 'GET /' + get(VALUES), [405, 200]],
  ['good, then broken', get(VALUES, '') + post(LENGTH, BODY) + 'GARBAGE\r\n\r\n', [200, 200, 400]],
  ['refused, then broken', get('/nowhere', '') + 'GARBAGE\r\n\r\n', [404, 400]],
  ['broken, then good', `GARBAGE\r\n\r\n${get(VALUES)}`, [400]],
  ['a length too short', post('Content-Length: 2\r\n', BODY), [400, 400]],
  ['closed by the client, then more', get(VALUES) + get(VALUES), [200]],
  ['one hundred', get(VALUES, '').repeat(99) + get(VALUES), Array<number>(100).fill(200)],
]

describeDevice('the raw socket', (device) => {
  let port = 0

  beforeEach(async () => (port = await device.listen()))

  /** After any conversation, the next connection is served. */
  afterEach(async () => expect(answersIn(await talk(port, get(VALUES))).map(({ status }) => status)).toEqual([200]))

  it.each([...requestLines, ...targets, ...headers, ...bodies, ...pipelines])(
    'answers as specified: %s',
    async (_title, bytes, statuses) => {
      talks++
      const answers = answersIn(await talk(port, bytes))
      expect(answers.map(({ status }) => status)).toEqual(statuses)
      expect(answers.flatMap(complaints)).toEqual([])
    },
  )

  it('accepts a request in single bytes', async () => {
    const socket = await dial(port)
    socket.setNoDelay(true)
    const end = readToEnd(socket)
    for (const byte of post(`${LENGTH}${CLOSE}`, BODY)) await new Promise<void>((resolve) => socket.write(byte, () => resolve()))
    expect(answersIn(await end).map(({ status }) => status)).toEqual([200])
  })

  it('survives a client that disconnects during its request or during the answer', async () => {
    for (const bytes of ['GET /api', post(LENGTH, BODY.slice(0, 10)), get(VALUES, ''), chunked(chunk('{'))]) {
      const socket = await dial(port)
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
      socket.resetAndDestroy()
    }
    expect(answersIn(await talk(port, post(`${LENGTH}${CLOSE}`, BODY))).map(({ status }) => status)).toEqual([200])
  })

  it('sends a slow reader every answer, complete and in order', async () => {
    // 97 requests, several megabytes: more than the buffers of the connection.
    const slots = Array.from({ length: 48 }, (_, index) => `${1000 + index}`)
    const requests = slots.map((slot) => get('/slotwire/openapi.json', '') + get(`/api/io/1.0/${slot}/descriptor`, ''))
    const socket = await dial(port)
    socket.pause()
    socket.write(requests.join('') + get(VALUES))
    // Other clients are served while it does not read.
    expect(answersIn(await talk(port, get(VALUES))).map(({ status }) => status)).toEqual([200])
    const end = readToEnd(socket)
    socket.resume()
    const text = await end
    expect([...text.matchAll(/"slot (\d{4}) holds no usable/g)].map(([, slot]) => slot)).toEqual(slots)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
    expect(statuses).toEqual([...slots.flatMap(() => ['200', '404']), '200'])
  })
})

describeDevice(
  'an endless request',
  (device) => {
    it.each([
      [
        'a body that is refused unread: of a wrong type, from a page',
        head(`POST ${MODE}`, `Origin: http://localhost\r\nContent-Type: a\r\n${LENGTH}`),
        [415],
      ],
      ['a body of a GET', get(VALUES, LENGTH), [200]],
    ] as const)('is answered once: %s', async (_title, bytes, statuses) => {
      talks++
      const port = await device.listen()
      const answers = answersIn(await talk(port, bytes))
      expect(answers.map(({ status }) => status)).toEqual(statuses)
      expect(answers.flatMap(complaints)).toEqual([])
    })
  },
  // Long enough for a busy machine to read the received bytes.
  { limits: { headersTimeoutMs: 400, requestTimeoutMs: 400, timeoutCheckMs: 10 } },
)
