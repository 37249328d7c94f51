import { describe, expect, it } from 'vitest'
import { basic, requestHead } from './proxy-client.testkit.ts'
import { type DoorSession, FEED, refusalOf, VALUES } from './proxy-session.testkit.ts'
import { MACHINE_ID, PAGE } from './proxy-world.testkit.ts'

/** Tests of paths: who may read what. */
export function testPaths(visit: () => DoorSession): void {
  describe('public resources', () => {
    it('contain the certificate of the authority', async () => {
      const answer = await visit().ask('GET /ca.pem')
      expect([answer.status, answer.body]).toEqual([200, visit().world.certificates.authorityPem])
    })

    it('contain the machine id', async () => {
      const answer = await visit().ask('GET /machine-id')
      expect([answer.status, answer.body]).toEqual([200, `${MACHINE_ID}\n`])
      expect(await visit().ask('HEAD /machine-id')).toMatchObject({
        status: 200,
        body: '',
        headers: { 'content-length': '33' },
      })
    })

    it('can only be read: 405', async () => {
      const answer = await visit().ask('POST /machine-id', { body: '{}' })
      expect(refusalOf(answer)).toBe(405)
      expect(answer.headers['allow']).toBe('GET, HEAD')
    })
  })

  describe('the page for browsers', () => {
    const HTML = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8'

    it('needs no token, and ignores a wrong one', async () => {
      for (const headers of [[HTML], [HTML, basic('swt_wrong')]]) {
        const page = await visit().ask('GET /', { headers })
        expect([page.status, page.body]).toEqual([200, String(PAGE.html)])
        expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
        expect(await visit().ask('HEAD /', { headers })).toMatchObject({ status: 200, body: '' })
        const file = await visit().ask('GET /slotwire/console/main.js', { headers })
        expect([file.status, file.body, file.headers['content-type']]).toEqual([200, 'start()\n', 'text/javascript'])
      }
      expect(await visit().statusOf('GET /slotwire/console/other.js', undefined)).toBe(404)
      expect((await visit().ask('GET /', { headers: [HTML], plain: true })).status).toBe(200)
    })

    it.each([
      'GET /',
      'POST /',
      'GET /slotwire/docs',
      'GET /slotwire/console',
      'POST /slotwire/console/main.js',
      'GET /slotwire/console%2fmain.js',
      `GET /slotwire/console/../..${VALUES}`,
      `GET /slotwire/console/%2e%2e/%2e%2e${VALUES}`,
      `GET /slotwire/console/..%2f..${VALUES}`,
      'GET /slotwire/console/../metrics',
      `GET ${VALUES}`,
    ])('opens nothing else: %s', async (line) => {
      const headers = line === 'GET /' ? [] : [HTML]
      const { status } = await visit().ask(line, { headers, ...(line.startsWith('POST') ? { body: '{}' } : {}) })
      expect([400, 401]).toContain(status)
    })
  })

  describe('paths', () => {
    const tricks = [
      ...'/slotwire/auth /slotwire/auth/ /slotwire/auth?x /slotwire//auth //slotwire/auth'.split(' '),
      ...'/slotwire/%61uth /slotwire%2fauth /slotwire/./auth /slotwire/x/../auth /api/../slotwire/auth'.split(' '),
      ...'/api/%2e%2e/slotwire/auth /api/..%2fslotwire/auth /ca.pem/../slotwire/auth /slotwire/bench'.split(' '),
      ...'/slotwire/bench/faults /slotwire/status /.slotwire/auth /.slotwire/refused /.slotwire/500'.split(' '),
      ...'http://localhost/slotwire/auth http://127.0.0.1/slotwire/bench'.split(' '),
    ]
    const around = [
      `/ca.pem/..${VALUES}`,
      `/ca.pem/%2e%2e${VALUES}`,
      `/ca.pem%2f..${VALUES}`,
      `${VALUES}/../../../../../../ca.pem`,
      `/machine-id/..${FEED}`,
      `/${VALUES}`,
      `//ca.pem/..${VALUES}`,
      `/ca.pem;/..${VALUES}`,
      `/ca.pem?/..${VALUES}`,
      `/CA.PEM/..${VALUES}`,
      `${VALUES}#/../ca.pem`,
      `${VALUES}%00/ca.pem`,
      `http://localhost${VALUES}`,
      `http://evil.test${VALUES}`,
      `http://localhost/ca.pem/..${VALUES}`,
    ]

    it.each(tricks)('refuse requests for local resources: %s', async (path) => {
      for (const secret of [undefined, visit().full])
        expect([400, 401, 403, 404]).toContain(await visit().statusOf(`GET ${path}`, secret))
    })

    it.each(around)('require a token even if written differently: %s', async (path) => {
      const { status, body } = await visit().ask(`GET ${path}`)
      // Another spelling of the public resource may be read.
      if (status === 200) expect(body).toBe(visit().world.certificates.authorityPem)
      else expect([400, 401, 403, 404]).toContain(status)
    })

    it('are served if they are absolute', async () =>
      expect(await visit().statusOf(`GET http://localhost${VALUES}`, visit().full)).toBe(200))

    it('are 404 if unknown, and 405 with another method', async () => {
      expect(refusalOf(await visit().ask('GET /nowhere', { token: visit().full }))).toBe(404)
      expect(refusalOf(await visit().ask('GET /api/io/1.0/5/nowhere', { token: visit().full }))).toBe(404)
      const answer = await visit().ask(`DELETE ${VALUES}`, { token: visit().full })
      expect(refusalOf(answer)).toBe(405)
      expect(answer.headers['allow']).toBe('GET, HEAD')
    })
  })

  describe('pages', () => {
    it('are refused from other sites: 403', async () => {
      for (const header of [
        'Origin: https://evil.test',
        'Referer: https://evil.test/page',
        'Sec-Fetch-Site: cross-site',
        'Origin: null',
      ])
        expect([header, refusalOf(await visit().ask(`GET ${VALUES}`, { token: visit().full, headers: [header] }))]).toEqual([
          header,
          403,
        ])
    })

    it('are allowed from the door itself', async () => {
      const host = `localhost:${visit().door.httpsPort}`
      const bytes = requestHead(`GET ${VALUES}`, {
        token: visit().full,
        headers: [`Origin: https://${host}`, 'Sec-Fetch-Site: same-origin'],
      })
      const text = await visit().converse(bytes.replace('Host: localhost', `Host: ${host}`))
      expect(text).toMatch(/^HTTP\/1\.1 200 /)
    })
  })
}
