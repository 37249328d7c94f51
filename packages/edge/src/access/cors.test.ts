import { describe, expect, it } from 'vitest'
import { basic, LEVEL, openDoors, type TestResponse } from './access.testkit.ts'

const PAGE = 'https://app.example.com'
const LOCAL = 'http://localhost:5173'
const LISTED = { corsOrigins: [PAGE, LOCAL] }
const CROSS_SITE = { 'sec-fetch-site': 'cross-site' }
const ASKS = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
const ALLOWS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Authorization, Cache-Control, Content-Type, If-Match, Last-Event-ID, Slotwire-Access, Slotwire-Lease',
}

/** The origin that may read an answer. */
const readerOf = ({ headers }: TestResponse) => headers['access-control-allow-origin']

describe('doors.cors-origins at the network door', () => {
  it('lets a listed page read values, send changes, and read refusals', async () => {
    const { atNetwork, token } = await openDoors(LISTED)
    const headers = { origin: PAGE, referer: `${PAGE}/`, ...CROSS_SITE }
    const full = { ...headers, authorization: `Bearer ${await token('app')}` }
    const answers = [
      await atNetwork({ headers: full }),
      await atNetwork({ method: 'POST', headers: full, body: '{"level":1}' }),
      await atNetwork({ headers }),
      await atNetwork({ path: '/nowhere', headers: full }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404])
    for (const answer of answers) {
      expect([readerOf(answer), answer.headers.vary]).toEqual([PAGE, 'Origin'])
      expect(answer.headers['access-control-expose-headers']).toContain('Slotwire-Error')
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  it('answers a preflight of a listed page without a token', async () => {
    const { atNetwork } = await openDoors(LISTED)
    const answer = await atNetwork({ method: 'OPTIONS', headers: { origin: PAGE, ...CROSS_SITE, ...ASKS } })
    expect([answer.status, readerOf(answer), answer.body]).toEqual([204, PAGE, ''])
    expect(answer.headers).toMatchObject(ALLOWS)
    expect((await atNetwork({ method: 'OPTIONS', headers: { origin: PAGE } })).status).toBe(401)
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another scheme', { origin: 'http://app.example.com' }],
    ['another port', { origin: `${PAGE}:8443` }],
    ['a longer host', { origin: `${PAGE}.evil.example` }],
    ['a subdomain', { origin: 'https://x.app.example.com' }],
    ['another case', { origin: 'https://APP.example.com' }],
    ['a path', { origin: `${PAGE}/` }],
    ['two origins', { origin: `${PAGE}, https://evil.example` }],
    ['null', { origin: 'null' }],
    ['an asterisk', { origin: '*' }],
    ['a listed Origin with the Referer of another page', { origin: PAGE, referer: 'https://evil.example/' }],
    ['only a Referer', { referer: `${PAGE}/` }],
    ['no Origin', CROSS_SITE],
  ])('refuses %s as if nothing was listed', async (_, page) => {
    const { atNetwork, token } = await openDoors(LISTED)
    const headers = { ...basic(await token('app')), ...CROSS_SITE, ...page }
    for (const answer of [
      await atNetwork({ headers }),
      await atNetwork({ method: 'POST', headers, body: '{"level":1}' }),
      await atNetwork({ method: 'OPTIONS', headers: { ...page, ...CROSS_SITE, ...ASKS } }),
    ]) {
      expect([answer.status, readerOf(answer), answer.headers['slotwire-error']]).toEqual([403, undefined, 'cross-site'])
      expect(answer.headers).not.toHaveProperty('access-control-allow-methods')
    }
  })

  it('is off by default', async () => {
    const { atNetwork, atLoopback } = await openDoors()
    expect((await atNetwork({ method: 'OPTIONS', headers: { origin: PAGE, ...ASKS } })).status).toBe(403)
    expect((await atLoopback({ method: 'OPTIONS', headers: { origin: LOCAL, ...ASKS } })).status).toBe(405)
    const answer = await atLoopback({ headers: { origin: LOCAL } })
    expect([answer.status, readerOf(answer), answer.headers.vary]).toEqual([200, undefined, undefined])
  })

  it('counts for requests that a configured proxy forwards', async () => {
    const { atLoopback } = await openDoors({ ...LISTED, proxies: ['127.0.0.1'] })
    const headers = { origin: PAGE, ...CROSS_SITE, 'x-forwarded-for': '192.0.2.7' }
    expect((await atLoopback({ method: 'OPTIONS', headers: { ...headers, ...ASKS } })).status).toBe(204)
    expect((await atLoopback({ headers })).status).toBe(401)
  })
})

describe('doors.cors-origins at the loopback door', () => {
  it('admits no page that its guard refuses', async () => {
    const { atLoopback } = await openDoors(LISTED)
    for (const headers of [
      { origin: PAGE },
      { origin: PAGE, ...CROSS_SITE },
      { origin: LOCAL, ...CROSS_SITE },
      { origin: LOCAL, host: 'app.example.com' },
      { origin: LOCAL, referer: `${PAGE}/` },
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await atLoopback({ method, path: LEVEL, headers: { ...headers, ...ASKS } })
        expect([answer.status, readerOf(answer)]).toEqual([403, undefined])
      }
    }
  })

  it('lets a listed page of this device read the answers that it gets', async () => {
    const { atLoopback } = await openDoors(LISTED)
    const headers = { origin: LOCAL, 'sec-fetch-site': 'same-site' }
    const [read, asked] = [
      await atLoopback({ headers }),
      await atLoopback({ method: 'OPTIONS', headers: { ...headers, ...ASKS } }),
    ]
    expect([read.status, readerOf(read), asked.status, readerOf(asked)]).toEqual([200, LOCAL, 204, LOCAL])
    const unlisted = await atLoopback({ headers: { origin: 'http://localhost:5174' } })
    expect([unlisted.status, readerOf(unlisted)]).toEqual([200, undefined])
  })
})
