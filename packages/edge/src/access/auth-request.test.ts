import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { basic, FEED, LEVEL, openDoors, type TestRequest } from './access.testkit.ts'

type Doors = Awaited<ReturnType<typeof openDoors>>

/** The authorization request of a proxy for a client's request, which it describes in headers of this kind. */
const asProxyWith =
  (kind: 'original' | 'forwarded') =>
  (method: string, url: string, headers: Readonly<Record<string, string>> = {}): TestRequest => {
    const described = { [`x-${kind}-uri`]: url, [`x-${kind}-method`]: method }
    return {
      path: '/slotwire/auth',
      headers: { 'x-forwarded-for': '192.0.2.7', host: 'device.example', ...described, ...headers },
    }
  }
const [asNginx, asCaddy] = [asProxyWith('original'), asProxyWith('forwarded')]

const behindProxy = (): Promise<Doors> => openDoors({ proxies: ['127.0.0.1'] })

describe('GET /slotwire/auth', () => {
  it.each([
    ['nginx', asNginx],
    ['Caddy', asCaddy],
  ])('reports to %s whether a token is valid: 204 or 401', async (_, asProxy) => {
    const { atLoopback, token } = await behindProxy()
    const { status, headers, body } = await atLoopback(asProxy('POST', LEVEL, basic(await token('line 3 PLC'))))
    expect([status, body, headers['content-length']]).toEqual([204, '', undefined])
    expect(headers['slotwire-token']).toBe('line 3 PLC')
    expect(headers).not.toHaveProperty('slotwire-access')
    for (const credentials of [{}, basic('wrong')]) {
      const refused = await atLoopback(asProxy('POST', LEVEL, credentials))
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="Slotwire", charset="UTF-8"'])
    }
  })

  it('reports the rights of a read-only token: 204 with Slotwire-Access: read-only, or 403', async () => {
    const { atLoopback, token } = await behindProxy()
    const credentials = basic(await token('screen', { readOnly: true }))
    const verdict = async (method: string, url: string) => {
      const { status, headers } = await atLoopback(asNginx(method, url, credentials))
      return [status, headers['slotwire-access']]
    }
    expect(await verdict('GET', LEVEL)).toEqual([204, 'read-only'])
    expect(await verdict('HEAD', LEVEL)).toEqual([204, 'read-only'])
    expect(await verdict('GET', '/api/toy/1.0/3/note/1')).toEqual([204, 'read-only'])
    expect(await verdict('GET', '/slotwire/metrics')).toEqual([204, 'read-only'])
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get', 'BREW'])
      expect(await verdict(method, LEVEL), method).toEqual([403, undefined])
    const odd = [
      FEED.replace('feed', '%66eed'),
      FEED.replaceAll('/', '%2F').replace('%2Fapi%2F', '/api/'),
      FEED.replace('3', '3%2F..'),
    ]
    for (const url of [FEED, `${FEED}/`, `${FEED}?a=1`, ...odd, `http://device${FEED}`]) {
      expect(await verdict('GET', url), url).toEqual([403, undefined])
    }
  })

  it('reports the rights of a token for some services: 204 or 403', async () => {
    const { atLoopback, token } = await behindProxy()
    const credentials = basic(await token('a', { services: ['io'] }))
    const status = async (url: string) => (await atLoopback(asNginx('GET', url, credentials))).status
    expect([await status('/api/io/'), await status('/slotwire/livez')]).toEqual([204, 204])
    for (const url of [LEVEL, '/api/io/../toy/', '/api//toy/', '/api/%74oy/', '/slotwire/metrics'])
      expect(await status(url), url).toBe(403)
  })

  it('refuses a token for some services what depends on the services, behind a proxy that checks tokens itself', async () => {
    const { atLoopback, token } = await openDoors({ proxies: [] })
    const [io, all] = [basic(await token('io', { services: ['io'] })), basic(await token('all'))]
    for (const name of ['events', 'state', 'history', 'past', 'leases', 'off']) {
      const statuses = await Promise.all(
        [io, all].map((one) => atLoopback(asNginx('POST', `/slotwire/${name}`, { ...one, host: 'localhost' }))),
      )
      expect(
        statuses.map(({ status }) => status),
        name,
      ).toEqual([403, 204])
    }
  })

  it('audits refused writes with the client address from the proxy', async () => {
    const { atLoopback, token, folder } = await behindProxy()
    const limited = basic(await token('io', { services: ['io'] }))
    const reading = basic(await token('screen', { readOnly: true }))
    for (const credentials of [limited, reading]) {
      await atLoopback(asNginx('POST', LEVEL, { ...credentials, 'x-forwarded-for': '192.0.2.7' }))
      await atLoopback(asCaddy('GET', FEED, { ...credentials, 'x-forwarded-for': '192.0.2.7' }))
    }
    await atLoopback(asNginx('GET', LEVEL, limited))
    const lines = readFileSync(`${folder}/audit/writes.jsonl`, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      ['io', 'screen'].flatMap((who) => [
        { who, address: '192.0.2.7', what: { method: 'POST', path: LEVEL }, result: 403 },
        { who, address: '192.0.2.7', what: { method: 'GET', path: FEED }, result: 403 },
      ]),
    )
  })

  it('allows the open resources without a token, and hides paths for this device only', async () => {
    const { atLoopback, token } = await behindProxy()
    expect((await atLoopback(asNginx('GET', '/ca.pem'))).status).toBe(204)
    expect((await atLoopback(asNginx('HEAD', '/machine-id', basic('wrong')))).status).toBe(204)
    expect((await atLoopback(asNginx('POST', '/ca.pem'))).status).toBe(401)
    expect((await atLoopback(asNginx('GET', '/slotwire/bench', basic(await token('a'))))).status).toBe(403)
  })

  it('checks every description of the request, because the client may have forged one', async () => {
    const { atLoopback, token } = await behindProxy()
    const credentials = basic(await token('a', { services: ['io'] }))
    const forged = { 'x-original-uri': '/api/io/', 'x-original-method': 'GET' }
    expect((await atLoopback(asCaddy('GET', '/api/toy/', { ...credentials, ...forged }))).status).toBe(403)
    expect((await atLoopback(asCaddy('GET', '/api/io/', { ...credentials, ...forged }))).status).toBe(204)
    expect((await atLoopback(asCaddy('GET', LEVEL, { 'x-original-uri': '/ca.pem', 'x-original-method': 'GET' }))).status).toBe(
      401,
    )
  })

  it('refuses a request without a complete description', async () => {
    const { atLoopback, token } = await behindProxy()
    const credentials = basic(await token('a'))
    for (const headers of [
      {},
      { 'x-original-uri': LEVEL },
      { 'x-original-method': 'GET' },
      { 'x-original-uri': LEVEL, 'x-forwarded-method': 'GET' },
    ]) {
      const { status, body } = await atLoopback({ path: '/slotwire/auth', headers: { ...credentials, ...headers } })
      expect([status, body]).toEqual([
        403,
        expect.stringContaining('the proxy must name the original request: X-Original-URI and'),
      ])
    }
  })

  it('refuses pages of other sites', async () => {
    const { atLoopback, token } = await behindProxy()
    const credentials = basic(await token('a'))
    expect((await atLoopback(asNginx('POST', LEVEL, { ...credentials, origin: 'https://evil.example' }))).status).toBe(403)
    expect((await atLoopback(asNginx('POST', LEVEL, { ...credentials, origin: 'https://device.example' }))).status).toBe(204)
  })

  it('refuses other methods', async () => {
    const { atLoopback } = await behindProxy()
    const { status, headers } = await atLoopback({ ...asNginx('GET', LEVEL), method: 'POST' })
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  it("answers a proxy that is not configured, and uses the proxy's address as the client's", async () => {
    const { atLoopback, token, log } = await openDoors()
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-original-uri': LEVEL, 'x-original-method': 'GET' }
    expect((await atLoopback({ path: '/slotwire/auth', headers: { ...headers, ...basic(await token('a')) } })).status).toBe(204)
    expect((await atLoopback({ path: '/slotwire/auth', headers: { ...headers, ...basic('wrong') } })).status).toBe(401)
    expect(log.linesOf('warn').map(({ fields }) => fields)).toEqual([{ address: '127.0.0.1' }])
  })

  it("encodes the token's name for a header", async () => {
    const { atLoopback, token } = await behindProxy()
    const { headers } = await atLoopback(asNginx('GET', LEVEL, basic(await token('100 % Maß, "線" 🔧'))))
    expect(headers['slotwire-token']).toBe('100 %25 Ma%C3%9F, %22%E7%B7%9A%22 %F0%9F%94%A7')
  })
})

describe('failed logins behind a proxy', () => {
  const failed = (doors: Doors) => doors.failures.metrics().map(({ samples }) => samples[0]?.value)

  it('count once per client request, although the proxy sends several', async () => {
    const doors = await behindProxy()
    const { atLoopback } = doors
    const headers = (id: string) => ({ ...basic('wrong'), 'x-request-id': id })
    const statuses: number[] = []
    for (let request = 1; request <= 11; request++) {
      const question = asNginx('GET', LEVEL, headers(`request ${request}`))
      for (const asked of [
        question,
        question,
        { path: LEVEL, ...(question.headers === undefined ? {} : { headers: question.headers }) },
      ]) {
        statuses.push((await atLoopback(asked)).status)
      }
    }
    expect(failed(doors)).toEqual([11, 1])
    // nginx expects 401 from the authorization request; the response to the request itself is passed on unchanged.
    expect(statuses).toEqual([...(Array(32).fill(401) as number[]), 429])
  })

  it('return 401 with Retry-After to nginx and 429 to Caddy after too many', async () => {
    const { atLoopback, token } = await behindProxy()
    for (let request = 1; request <= 10; request++) await atLoopback(asNginx('GET', LEVEL, basic('wrong')))
    const nginx = await atLoopback(asNginx('GET', LEVEL, basic('wrong')))
    expect([nginx.status, nginx.headers['retry-after']]).toEqual([401, '6'])
    const caddy = await atLoopback(asCaddy('GET', LEVEL, basic('wrong')))
    expect([caddy.status, caddy.headers['retry-after']]).toEqual([429, '6'])
    expect((await atLoopback(asNginx('POST', LEVEL, basic(await token('a'))))).status).toBe(204)
  })

  it('count separately for different credentials, whatever request id the client sends', async () => {
    const doors = await behindProxy()
    for (let guess = 1; guess <= 11; guess++) {
      await doors.atLoopback(asNginx('GET', LEVEL, { ...basic(`guess ${guess}`), 'x-request-id': 'always the same' }))
    }
    expect(failed(doors)).toEqual([11, 1])
  })
})
