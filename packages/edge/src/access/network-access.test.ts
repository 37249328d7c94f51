import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { START } from '../../../network/src/tokens/token-store.testkit.ts'
import { basic, CA, FEED, LEVEL, MACHINE_ID, openDoors } from './access.testkit.ts'

const WRITE = { method: 'POST', body: '{"level":1}' }
const errorBody = (code: number, message: unknown) => ({ status: 'error', code, message })

describe('network door', () => {
  it('refuses every path without credentials', async () => {
    const { atNetwork } = await openDoors()
    for (const path of [
      '/',
      LEVEL,
      FEED,
      '/nothing',
      '/slotwire/livez',
      '/slotwire/metrics',
      '/slotwire/docs',
      '/slotwire/bench',
      '/slotwire/auth',
      '/slotwire/status',
    ]) {
      const { status, headers, body } = await atNetwork({ path })
      expect(status, path).toBe(401)
      expect(headers['www-authenticate']).toBe('Basic realm="Slotwire", charset="UTF-8"')
      expect(headers['content-type']).toBe('application/json')
      expect(JSON.parse(body)).toEqual(errorBody(401, expect.stringContaining('missing or wrong')))
    }
  })

  it('accepts a token, even from a local program', async () => {
    const { atNetwork, token } = await openDoors()
    const text = await token('line 3 PLC')
    expect((await atNetwork()).status).toBe(401)
    const { status, body } = await atNetwork({ headers: basic(text) })
    expect([status, body]).toEqual([200, '{"level":7}\n'])
    expect((await atNetwork({ ...WRITE, headers: basic(text) })).status).toBe(200)
    expect((await atNetwork({ ...WRITE, headers: { authorization: `Bearer ${text}` } })).status).toBe(200)
  })

  it('never reveals which half of the credentials was wrong', async () => {
    const { atNetwork, token } = await openDoors()
    const text = await token('a')
    const wrong = [
      basic(text.slice(0, -1)),
      basic(text, 'admin'),
      basic(''),
      { authorization: 'Basic' },
      { authorization: `Bearer ${text.slice(0, -1)}` },
      { authorization: `Bearer token:${text}` },
      { authorization: `Token ${text}` },
      { authorization: `Basic ${text}` },
      { authorization: text },
    ]
    const responses = await Promise.all(wrong.map((headers) => atNetwork({ headers })))
    const { date: _, ...first } = responses[0]?.headers ?? {}
    for (const { status, headers, body } of responses) {
      const { date: __, ...rest } = headers
      expect({ status, rest, body }).toEqual({ status: 401, rest: first, body: responses[0]?.body })
    }
  })

  it('accepts a new token at once, and refuses it at once after it was revoked', async () => {
    const { atNetwork, token, store } = await openDoors()
    const text = await token('a')
    expect((await atNetwork({ headers: basic(text) })).status).toBe(200)
    await store.revoke('a')
    expect((await atNetwork({ headers: basic(text) })).status).toBe(401)
  })

  it('refuses every change with a read-only token: 403', async () => {
    const { atNetwork, token, toy } = await openDoors()
    const headers = basic(await token('screen', { readOnly: true }))
    expect((await atNetwork({ headers })).status).toBe(200)
    expect((await atNetwork({ ...WRITE, headers })).status).toBe(403)
    expect((await atNetwork({ path: FEED, headers })).status).toBe(403)
    toy.slot.notifications.merge(Uint8Array.of(1))
    for (let read = 0; read < 2; read++) {
      expect((await atNetwork({ path: '/api/toy/1.0/3/note/1', headers })).body).toBe('{"rung":true}\n')
    }
  })

  it('hides bench, status and authorization endpoint from every token: 404', async () => {
    const { atNetwork, token } = await openDoors()
    const headers = { ...basic(await token('a')), 'x-original-uri': LEVEL, 'x-original-method': 'GET' }
    for (const path of [
      ...'/slotwire/bench /slotwire/bench/pins /slotwire/auth /slotwire/status /slotwire/%73tatus/'.split(' '),
      ...'/slotwire/%61uth/ http://device/slotwire/auth?a=1'.split(' '),
    ]) {
      const { status, body } = await atNetwork({ path, headers })
      expect([status, JSON.parse(body)], path).toEqual([404, errorBody(404, 'Not Found')])
    }
  })

  it('refuses pages of other sites before it checks anything else', async () => {
    const { atNetwork, token, log } = await openDoors()
    const headers = { ...basic(await token('a')), origin: 'https://evil.example' }
    expect((await atNetwork({ headers })).status).toBe(403)
    expect((await atNetwork({ path: '/ca.pem', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    expect((await atNetwork({ headers: { ...basic('wrong'), origin: 'null' } })).status).toBe(403)
    expect(log.linesOf('warn')).toEqual([])
  })
})

describe('open resources', () => {
  it('need no credentials', async () => {
    const { atNetwork } = await openDoors()
    const machineId = await atNetwork({ path: '/machine-id' })
    expect([machineId.status, machineId.headers['content-type'], machineId.body]).toEqual([
      200,
      'text/plain; charset=utf-8',
      MACHINE_ID,
    ])
    const ca = await atNetwork({ path: '/ca.pem', headers: basic('wrong') })
    expect([ca.status, ca.headers['content-type'], ca.body]).toEqual([200, 'application/pem-certificate-chain', CA])
    const head = await atNetwork({ method: 'HEAD', path: '/ca.pem' })
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, String(CA.length), ''])
  })

  it('refuse other methods', async () => {
    const { atNetwork } = await openDoors()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers, body } = await atNetwork({ method, path: '/machine-id' })
      expect([status, headers['allow']], method).toEqual([405, 'GET, HEAD'])
      expect(JSON.parse(body)).toMatchObject({ code: 405 })
    }
  })

  it('are at the paths in the settings', async () => {
    const { atNetwork, settings } = await openDoors()
    settings.paths = { machineId: '/device/id', tlsCa: '/device/ca.pem' }
    expect((await atNetwork({ path: '/device/id' })).body).toBe(MACHINE_ID)
    expect((await atNetwork({ path: '/machine-id' })).status).toBe(401)
  })
})

describe('token for some services', () => {
  it('allows its services, and paths that belong to no service', async () => {
    const { atNetwork, token } = await openDoors()
    const headers = basic(await token('a', { services: ['toy', 'power'] }))
    expect((await atNetwork({ headers })).status).toBe(200)
    expect((await atNetwork({ path: '/slotwire/livez', headers })).status).toBe(200)
    expect((await atNetwork({ path: '/nothing', headers })).status).toBe(404)
    expect((await atNetwork({ path: '/api/power/', headers })).status).toBe(404)
  })

  it.each([
    LEVEL,
    '/api/toy',
    '/api/toy/',
    '/api/toy/9.9/',
    '/api/toy?a=/api/io/',
    '/%61pi/toy/1.0/3/level',
    '/api/%74oy/1.0/3/level',
    '/api/io/../toy/1.0/3/level',
    '/api/io/%2e%2e/toy/1.0/3/level',
    '/api/io/..%2ftoy/1.0/3/level',
    '/api/io%2f..%2ftoy/1.0/3/level',
    '/api/io/..%5ctoy/1.0/3/level',
    '/api//toy/1.0/3/level',
    '/api/io;/../toy/1.0/3/level',
    '/api/TOY/1.0/3/level',
    '/api/nothing',
    '/api',
    '/api/io/%00',
    '/api/%zz/',
    'http://device/api/toy/1.0/3/level',
    'HTTPS://device:443/api/toy/',
    '/slotwire/metrics',
    '/slotwire/%6detrics',
  ])('refuses %s: 403', async (path) => {
    const { atNetwork, token, toy } = await openDoors()
    const headers = basic(await token('a', { services: ['io'] }))
    const { status, body } = await atNetwork({ path, headers })
    expect(status).toBe(403)
    expect(JSON.parse(body)).toEqual(errorBody(403, expect.stringMatching(/^this access token is limited to .*: use a token/)))
    expect(toy.slot.sent).toEqual([])
  })
})

describe('failed logins at the network door', () => {
  it('get 429 with Retry-After after ten failures, while the right token is accepted', async () => {
    const { atNetwork, token, clock, log } = await openDoors()
    const right = basic(await token('a'))
    const wrong = basic('swt_00000000_wrong')
    for (let count = 0; count < 10; count++) expect((await atNetwork({ headers: wrong })).status).toBe(401)
    const { status, headers, body } = await atNetwork({ headers: wrong })
    expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([429, '6', undefined])
    expect(JSON.parse(body)).toEqual(errorBody(429, 'too many failed logins from this address: try again in 6 s'))
    for (const question of [{}, WRITE, { path: FEED }])
      expect((await atNetwork({ ...question, headers: right })).status).toBe(200)
    expect((await atNetwork({ headers: wrong })).status).toBe(429)
    await clock.advance(6000)
    expect((await atNetwork({ headers: wrong })).status).toBe(401)
    expect(log.linesOf('warn').map(({ fields }) => fields)).toEqual(Array(12).fill({ address: '127.0.0.1' }))
  })

  it('count per address', async () => {
    const { atNetwork } = await openDoors()
    const headers = basic('wrong')
    for (let count = 0; count < 11; count++) await atNetwork({ headers })
    expect((await atNetwork({ headers })).status).toBe(429)
    expect((await atNetwork({ headers, from: '127.0.0.2' })).status).toBe(401)
  })

  it('do not count without credentials, because browsers start without', async () => {
    const { atNetwork, failures, log } = await openDoors()
    for (let count = 0; count < 20; count++) expect((await atNetwork()).status).toBe(401)
    expect((await atNetwork({ headers: { authorization: '' } })).status).toBe(401)
    expect(failures.metrics().map(({ samples }) => samples[0]?.value)).toEqual([0, 0])
    expect(log.lines).toEqual([])
  })

  it('count for the client that a configured proxy reports, but not for forged addresses', async () => {
    const { atNetwork, settings, log } = await openDoors({ proxies: ['127.0.0.9'] })
    const headers = { ...basic('wrong'), 'x-forwarded-for': '192.0.2.7' }
    for (let count = 0; count < 11; count++) await atNetwork({ headers, from: '127.0.0.9' })
    expect((await atNetwork({ headers, from: '127.0.0.9' })).status).toBe(429)
    expect((await atNetwork({ headers: { ...headers, 'x-forwarded-for': '192.0.2.8' }, from: '127.0.0.9' })).status).toBe(401)
    expect((await atNetwork({ headers, from: '127.0.0.8' })).status).toBe(401)
    expect(log.linesOf('warn').at(-1)?.fields).toEqual({ address: '127.0.0.8' })
    settings.proxies = []
    expect((await atNetwork({ headers, from: '127.0.0.9' })).status).toBe(401)
  })
})

describe('audit of the network door', () => {
  it('records every write with the name of its token, refused ones too; no reads, no failed logins', async () => {
    const { atNetwork, token, folder } = await openDoors()
    const [full, readOnly] = [basic(await token('line 3 PLC')), basic(await token('screen', { readOnly: true }))]
    await atNetwork({ headers: full })
    await atNetwork({ ...WRITE, headers: full })
    await atNetwork({ path: FEED, headers: full })
    await atNetwork({ ...WRITE, headers: readOnly })
    await atNetwork({ path: FEED, headers: readOnly })
    await atNetwork({ ...WRITE, headers: basic('wrong') })
    const lines = readFileSync(`${folder}/audit/writes.jsonl`, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        who: 'line 3 PLC',
        address: '127.0.0.1',
        action: 'write',
        what: { method: 'POST', path: LEVEL, body: { level: 1 } },
        result: 200,
      },
      { who: 'line 3 PLC', what: { method: 'GET', path: FEED }, result: 200 },
      { who: 'screen', what: { method: 'POST', path: LEVEL }, result: 403 },
      { who: 'screen', what: { method: 'GET', path: FEED }, result: 403 },
    ])
  })

  it("records writes that the token's services do not allow, but no such reads", async () => {
    const { atNetwork, token, folder } = await openDoors()
    const headers = basic(await token('io', { services: ['io'] }))
    for (const question of [{}, { path: '/slotwire/metrics' }, { ...WRITE, path: `${LEVEL}?a=1` }, { path: FEED }])
      expect((await atNetwork({ ...question, headers })).status).toBe(403)
    const lines = readFileSync(`${folder}/audit/writes.jsonl`, 'utf8').trimEnd().split('\n')
    const id = expect.stringMatching(/^[0-9a-z]{8}$/) as string
    const caller = { who: 'io', token: id, address: '127.0.0.1', action: 'write' }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...caller, time: START, what: { method: 'POST', path: LEVEL }, result: 403 },
      { ...caller, time: START, what: { method: 'GET', path: FEED }, result: 403 },
    ])
  })
})
