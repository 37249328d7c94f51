import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersIn } from '../../packages/edge/src/door/socket.testkit.ts'
import { type DoorName, HostileDoors } from './hostile-doors.testkit.ts'

const VALUES = '/api/io/1.0/5/input/values'
const MODE = '/api/io/1.0/5/input/mode'
const BODY = '{"pin":6,"mode":"digital"}'
const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const LENGTH = `Content-Length: ${BODY.length}\r\n`
const DOORS: readonly DoorName[] = ['loopback', 'network']

/** Short for a test, but long enough for a busy machine. */
const PATIENCE_MS = 1500
const doors = new HostileDoors({ headersTimeoutMs: PATIENCE_MS, requestTimeoutMs: PATIENCE_MS, timeoutCheckMs: 50 })
let conversations = 0

beforeAll(() => doors.open())
afterAll(async () => {
  await doors.close()
  process.stdout.write(`${conversations} hostile conversations at both doors\n`)
})

const basic = (credentials: string): string => `Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`
/** Headers that give access: none at the loopback door, a token at the network door. */
const credentialsFor = (door: DoorName): string => (door === 'loopback' ? '' : basic(`token:${doors.full}`))
const host = (door: DoorName): string => `Host: 127.0.0.1:${doors.port(door)}\r\n`

/** Statuses of all answers. Checks that every error has the error body and reveals no internals. */
async function statusesOf(door: DoorName, bytes: string | Buffer): Promise<readonly number[]> {
  conversations++
  const answers = answersIn(await doors.talk(door, bytes))
  for (const { status, body, headers } of answers) {
    if (status < 400) continue
    const parsed = JSON.parse(body) as Record<string, unknown>
    expect(parsed).toEqual({ status: 'error', code: status, message: expect.any(String) as string })
    expect(headers['content-type']).toBe('application/json')
    expect(body).not.toMatch(/node_modules|\.ts\b|at \w+ \(|swt_/)
  }
  return answers.map(({ status }) => status)
}

const get = (door: DoorName, path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\n${host(door)}${credentialsFor(door)}${headers}${CLOSE}\r\n`
const post = (door: DoorName, headers: string, body = BODY): string =>
  `POST ${MODE} HTTP/1.1\r\n${host(door)}${credentialsFor(door)}${JSON_TYPE}${headers}\r\n${body}`
/** Number of pin changes that reached the module. */
const changes = (): number => doors.device.bus.exchanges(5).filter((payload) => payload.startsWith('030102')).length

describe.each(DOORS)('at the %s door', (door) => {
  it.each([
    '/slotwire/docs/../../package.json',
    '/slotwire/docs/%2e%2e/%2e%2e/package.json',
    '/slotwire/docs/..%2f..%2fpackage.json',
    '/slotwire/docs/....//....//etc/passwd',
    '/slotwire/docs/%00',
    '/ca.pem/../tokens.json',
    '/ca.pem%00.json',
    '/ca.pem/..;/slotwire/metrics',
    '/tokens.json',
    '/tls/authority.key',
    '/settings.yaml',
    '/audit/changes.jsonl',
    '/audit/writes.jsonl',
    '/.git/config',
    '/etc/passwd',
    '/\\..\\..\\etc\\passwd',
    '//etc/passwd',
    '/api/io/1.0/5/../../../../etc/passwd',
    '/api/io/1.0/5/input/values/../../../../../machine-id',
    '/%c0%ae%c0%ae/etc/passwd',
    '/slotwire/bench',
  ])('serves no file at the path %s', async (path) => {
    const [status = 0, ...more] = await statusesOf(door, get(door, path))
    expect([status >= 400 && status < 500, more]).toEqual([true, []])
  })

  it.each([
    ['a header of 20 KiB', `X: ${'a'.repeat(20_480)}\r\n`],
    ['4,000 headers', Array.from({ length: 4000 }, (_, index) => `X-${index}: y\r\n`).join('')],
    ['a cookie of 17 KiB', `Cookie: ${'a=b; '.repeat(3500)}\r\n`],
  ])('answers 431 to %s', async (_name, headers) => expect(await statusesOf(door, get(door, VALUES, headers))).toEqual([431]))

  it.concurrent.each([
    ['a target of 20 KiB', (): string => get(door, `/${'a'.repeat(20_480)}`), 431],
    ['a body of 65,537 bytes', (): string => post(door, 'Content-Length: 65537\r\n', '{'), 413],
    ['a body that says it has a gigabyte', (): string => post(door, `Content-Length: ${2 ** 30}\r\n`, '{'), 413],
    ['a length beyond all numbers', (): string => post(door, 'Content-Length: 99999999999999999999\r\n', '{'), 400],
    ['a chunk beyond all numbers', (): string => post(door, 'Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n'), 400],
    [
      'a body of 5,000 brackets',
      (): string => post(door, `Content-Length: 10000\r\n${CLOSE}`, '['.repeat(5000) + ']'.repeat(5000)),
      422,
    ],
    [
      'a body with __proto__',
      (): string => post(door, `Content-Length: 39\r\n${CLOSE}`, '{"pin":6,"mode":"digital","__proto__":1}'.slice(0, 39)),
      400,
    ],
  ])('refuses %s', async (_name, bytes, status) => expect(await statusesOf(door, bytes())).toEqual([status]))

  it.each([
    ['both lengths', `${LENGTH}Transfer-Encoding: chunked\r\n`],
    ['both lengths, the other way round', `Transfer-Encoding: chunked\r\n${LENGTH}`],
    ['two different lengths', `Content-Length: 5\r\n${LENGTH}`],
    ['a list of lengths', 'Content-Length: 5, 26\r\n'],
    ['a length with a sign', 'Content-Length: +26\r\n'],
    ['a hexadecimal length', 'Content-Length: 0x1a\r\n'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n'],
    ['chunked followed by another encoding', 'Transfer-Encoding: chunked, identity\r\n'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n'],
    ['a folded header', 'Transfer-Encoding:\r\n chunked\r\n'],
    ['a tab in the value', 'Transfer-Encoding: \tx\r\n'],
    ['two Hosts', 'Host: 127.0.0.1\r\n'],
    ['a bare carriage return', 'X: a\rTransfer-Encoding: chunked\r\n'],
  ])('refuses smuggling by %s once, and never reads the hidden request', async (_name, headers) => {
    const before = changes()
    const hidden = post(door, `${LENGTH}${CLOSE}`)
    const statuses = await statusesOf(door, post(door, headers, `0\r\n\r\n${hidden}`))
    expect(statuses).toHaveLength(1)
    expect(statuses[0]).toBeGreaterThanOrEqual(400)
    expect(changes()).toBe(before)
  })

  it.each([
    'Origin: http://evil.example\r\n',
    'Origin: file://\r\n',
    'Origin: http://evil.example\r\nSec-Fetch-Site: same-origin\r\n',
  ])('answers 403 to a page of another origin (%j), which changes and reads nothing', async (headers) => {
    const before = changes()
    expect(await statusesOf(door, get(door, VALUES, headers))).toEqual([403])
    expect(await statusesOf(door, get(door, '/api/bmc/1.0/0/watchdog/alive', headers))).toEqual([403])
    expect(await statusesOf(door, post(door, `${headers}${LENGTH}`))).toEqual([403])
    expect(changes()).toBe(before)
  })

  it.each([
    ['X-Forwarded-For', '127.0.0.1'],
    ['Forwarded', 'for=127.0.0.1;host=localhost'],
    ['X-Real-IP', '127.0.0.1'],
    ['X-Original-URI', '/ca.pem'],
    ['X-HTTP-Method-Override', 'POST'],
    ['X-Forwarded-Host', 'localhost'],
    ['Slotwire-Access', 'full'],
    ['Slotwire-Token', 'full'],
  ])('ignores the header %s: %s', async (name, value) => {
    expect(await statusesOf(door, get(door, VALUES, `${name}: ${value}\r\n`))).toEqual([200])
    const anonymous = `GET ${VALUES} HTTP/1.1\r\n${host(door)}${name}: ${value}\r\n${CLOSE}\r\n`
    expect(await statusesOf(door, anonymous)).toEqual([door === 'loopback' ? 200 : 401])
  })
})

describe.each(DOORS)('at the %s door, an endless request', { timeout: 20_000 }, (door) => {
  it.concurrent.each([
    ['a request line', (): string => 'GET /', 408],
    ['headers', (): string => `GET ${VALUES} HTTP/1.1\r\n${host(door)}X: `, 408],
    ['a body', (): string => post(door, LENGTH, BODY.slice(0, 5)), 408],
    ['chunks', (): string => post(door, 'Transfer-Encoding: chunked\r\n', '5\r\n{"pin\r\n'), 408],
  ])('times out: %s', async (_name, bytes, status) => {
    const before = changes()
    expect(await statusesOf(door, bytes())).toEqual([status])
    expect(changes()).toBe(before)
  })

  it('does not delay others, even with hundreds of them at once', async () => {
    const slow = Array.from({ length: 200 }, () => doors.talk(door, `GET ${VALUES} HTTP/1.1\r\nX: `))
    for (let times = 0; times < 5; times++) expect(await statusesOf(door, get(door, VALUES))).toEqual([200])
    conversations += slow.length
    for (const answer of await Promise.all(slow)) expect(answersIn(answer).map(({ status }) => status)).toEqual([408])
  })
})

describe('DNS rebinding at the loopback door', () => {
  it.each([...['evil.example', '127.0.0.1.evil.example', '[::ffff:10.0.0.5]', '']])(
    'is refused with 403 or 400 for Host: %j',
    async (name) => {
      const before = changes()
      const request = (line: string, headers: string, body = ''): string =>
        `${line} HTTP/1.1\r\nHost: ${name}\r\n${headers}${CLOSE}\r\n${body}`
      const statuses = [
        ...(await statusesOf('loopback', request(`GET ${VALUES}`, ''))),
        ...(await statusesOf('loopback', request(`POST ${MODE}`, JSON_TYPE + LENGTH, BODY))),
      ]
      for (const status of statuses) expect([400, 403]).toContain(status)
      expect(changes()).toBe(before)
    },
  )

  it('is refused for a target with a foreign authority, for any Host', async () =>
    expect(await statusesOf('loopback', get('loopback', `http://evil.example${VALUES}`))).toEqual([403]))
})

describe('credentials at the network door', () => {
  const ask = (authorization: string): Promise<readonly number[]> =>
    statusesOf('network', `GET ${VALUES} HTTP/1.1\r\n${host('network')}${authorization}${CLOSE}\r\n`)

  it.each<readonly [name: string, authorization: () => string]>([
    ['none', () => ''],
    ['empty', () => 'Authorization: \r\n'],
    ['the token as user', () => basic(`${doors.full}:`)],
    ['a bearer of less', () => `Authorization: Bearer ${doors.full.slice(0, -1)}\r\n`],
    ['a bearer in base64', () => basic(`token:${doors.full}`).replace('Basic', 'Bearer')],
    ['no base64', () => `Authorization: Basic token:${doors.full}\r\n`],
    ['half a token: all but the last character', () => basic(`token:${doors.full.slice(0, -1)}`)],
    ['a token with a space', () => basic(`token:${doors.full} `)],
    ['a token with a NUL', () => basic(`token:${doors.full}\0`)],
    ['10,000 characters', () => basic(`token:${'a'.repeat(10_000)}`)],
    ['a wild card', () => basic('token:%')],
    ['a prototype', () => basic('token:swt___proto___x')],
    ['two in one header', () => `Authorization: Basic eA==, ${basic(`token:${doors.full}`).slice('Authorization: '.length)}`],
  ])('are refused with 401: %s', async (_name, authorization) => expect(await ask(authorization())).toEqual([401]))

  it('are refused with 400 in two headers, wherever the right one is', async () => {
    const [right, wrong] = [basic(`token:${doors.full}`), basic('token:x')]
    expect([await ask(wrong + right), await ask(right + wrong)]).toEqual([[400], [400]])
  })

  it('are ignored in the query, a cookie or another header', async () => {
    for (const [path, header] of [
      [`${VALUES}?token=`, ''],
      [VALUES, 'Cookie: token='],
      [VALUES, 'X-Token: '],
    ] as const) {
      const inHeader = header === '' ? '' : `${header}${doors.full}\r\n`
      const target = path === VALUES ? path : path + doors.full
      expect(await statusesOf('network', `GET ${target} HTTP/1.1\r\n${host('network')}${inHeader}${CLOSE}\r\n`)).toEqual([401])
    }
  })

  it('change nothing if they are of a read-only token, in any spelling of the request', async () => {
    const before = changes()
    const own = basic(`token:${doors.readOnly}`)
    const paths = [
      MODE,
      MODE.toUpperCase(),
      `/${MODE}`,
      `${MODE}/`,
      MODE.replace('/api', '/%61pi'),
      '/nowhere',
      '/slotwire/livez',
    ]
    for (const path of paths) {
      const bytes = `POST ${path} HTTP/1.1\r\n${host('network')}${own}Slotwire-Access: full\r\n${JSON_TYPE}${LENGTH}${CLOSE}\r\n${BODY}`
      expect(await statusesOf('network', bytes)).toEqual([403])
    }
    for (const path of ['watchdog/alive', 'watchdog/save', 'watchdog/alive/', 'watchdog/%61live', 'watchdog/alive?x']) {
      const bytes = `GET /api/bmc/1.0/0/${path} HTTP/1.1\r\n${host('network')}${own}${CLOSE}\r\n`
      expect([path, await statusesOf('network', bytes)]).toEqual([path, [403]])
    }
    expect(changes()).toBe(before)
  })

  it('are rate-limited if wrong, also on one connection, while the right ones are still accepted', async () => {
    const wrong = `GET ${VALUES} HTTP/1.1\r\n${host('network')}${basic('token:swt_x_y')}\r\n`
    const right = `GET ${VALUES} HTTP/1.1\r\n${host('network')}${basic(`token:${doors.full}`)}${CLOSE}\r\n`
    const statuses = await statusesOf('network', wrong.repeat(15) + right)
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(5).fill(429), 200])
  })
})

describe('TLS at the network door', () => {
  const handshake = (options: object): Promise<string> =>
    new Promise((resolve) => {
      conversations++
      const socket = connect({ host: '127.0.0.1', port: doors.port('network'), rejectUnauthorized: false, ...options })
      socket.once('secureConnect', () => {
        resolve(String(socket.getProtocol()))
        socket.destroy()
      })
      socket.once('error', () => resolve('refused'))
    })

  it.each([
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }],
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }],
    ['a cipher without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES256-GCM-SHA384' }],
    ['a cipher in CBC mode', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0' }],
    ['no encryption at all', { maxVersion: 'TLSv1.2', ciphers: 'NULL:@SECLEVEL=0' }],
  ])('refuses %s', async (_name, options) => expect(await handshake(options)).toBe('refused'))

  it.each(['TLSv1.2', 'TLSv1.3'])('supports %s', async (version) =>
    expect(await handshake({ minVersion: version, maxVersion: version })).toBe(version),
  )

  it('resumes no session from before a renewal, while an open connection continues', async () => {
    const before = await doors.dialTls()
    const session = await new Promise<Buffer>((resolve) => before.once('session', resolve))
    const old = before.getPeerX509Certificate()?.serialNumber
    await doors.renew()
    for (let replay = 0; replay < 3; replay++) {
      conversations++
      const socket = connect({ host: '127.0.0.1', port: doors.port('network'), rejectUnauthorized: false, session })
      await new Promise<void>((resolve) => socket.once('secureConnect', () => resolve()))
      expect([socket.isSessionReused(), socket.getPeerX509Certificate()?.serialNumber === old]).toEqual([false, false])
      socket.destroy()
    }
    before.write(`GET /machine-id HTTP/1.1\r\n${host('network')}${CLOSE}\r\n`)
    const [answer] = await new Promise<[Buffer]>((resolve) => before.once('data', (data: Buffer) => resolve([data])))
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
    before.destroy()
  })
})
