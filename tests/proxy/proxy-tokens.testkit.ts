import { describe, expect, it } from 'vitest'
import { basic, requestHead } from './proxy-client.testkit.ts'
import { type DoorSession, type DoorTraits, FEED, NOTE, refusalOf, SAVE, VALUES } from './proxy-session.testkit.ts'

/** Tests of tokens: access and rights. */
export function testTokens(visit: () => DoorSession, traits: DoorTraits): void {
  describe('tokens', () => {
    it('are required: 401, with the scheme to send them', async () => {
      for (const line of [`GET ${VALUES}`, `GET ${FEED}`, 'GET /', 'GET /nowhere', 'GET /slotwire/metrics', 'DELETE /']) {
        const answer = await visit().ask(line)
        expect([line, refusalOf(answer)]).toEqual([line, 401])
        expect(answer.headers['www-authenticate']).toBe('Basic realm="Slotwire", charset="UTF-8"')
      }
      const text = await visit().converse(requestHead(`GET ${VALUES}`))
      expect(text.match(/www-authenticate/gi)).toHaveLength(1)
      expect(refusalOf(await visit().post(undefined))).toBe(401)
    })

    it.each([
      ['a wrong token', () => basic('swt_wrong')],
      ['half a token', () => basic(visit().full.slice(0, -6))],
      ['a longer token', () => basic(`${visit().full}a`)],
      ['a token with another user name', () => `Authorization: Basic ${Buffer.from(`root:${visit().full}`).toString('base64')}`],
      ['a token without a user name', () => `Authorization: Basic ${Buffer.from(visit().full).toString('base64')}`],
      ['half a token as bearer', () => `Authorization: Bearer ${visit().full.slice(0, -6)}`],
      ['no base64', () => 'Authorization: Basic ####'],
      ['no credentials', () => 'Authorization:'],
      ['a valid token after a wrong one', () => `${basic('swt_wrong')}, ${basic(visit().full).slice('Authorization: '.length)}`],
    ])('must be valid: %s is a 401', async (_, header) => {
      const answer = await visit().ask(`GET ${VALUES}`, { headers: [header()] })
      expect(refusalOf(answer)).toBe(401)
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /)
    })

    it('can come as bearer', async () => {
      const answer = await visit().ask(`GET ${VALUES}`, { headers: [`Authorization: Bearer ${visit().full}`] })
      expect(answer.status).toBe(200)
    })

    it('give access everywhere: to all services, and below /slotwire/', async () => {
      for (const path of [
        VALUES,
        '/api/io/',
        '/api/bmc/1.0/0/voltage',
        '/api/power/1.0/1/stats',
        '/slotwire/livez',
        '/slotwire/metrics',
      ])
        expect([path, await visit().statusOf(`GET ${path}`, visit().full)]).toEqual([path, 200])
      expect((await visit().post(visit().full)).body).toBe('{"status":"success"}\n')
      expect(await visit().statusOf(`GET ${VALUES}`, undefined)).toBe(401)
    })

    it('can read if they are read-only', async () => {
      for (const path of [VALUES, '/api/bmc/1.0/0/watchdog', '/api/power/', '/slotwire/metrics'])
        expect([path, await visit().statusOf(`GET ${path}`, visit().readOnly)]).toEqual([path, 200])
    })

    it('cannot change anything if they are read-only: 403', async () => {
      expect(refusalOf(await visit().post(visit().readOnly))).toBe(403)
      for (const path of [FEED, SAVE]) expect(refusalOf(await visit().ask(`GET ${path}`, { token: visit().readOnly }))).toBe(403)
      for (const path of ['/api/power/1.0/1/limits', '/nowhere'])
        expect(refusalOf(await visit().ask(`POST ${path}`, { token: visit().readOnly, body: '{}' }))).toBe(403)
    })

    it.each([
      'Slotwire-Access: full',
      'Slotwire-Access:',
      'slotwire_access: full',
      'Connection: Slotwire-Access',
      'X-Original-Method: GET',
      'X-Forwarded-Method: GET',
      'X-HTTP-Method-Override: GET',
    ])('stay read-only with any header: %s', async (header) => {
      expect(await visit().statusOf(`GET ${FEED}`, visit().readOnly, [header])).toBe(403)
      expect((await visit().post(visit().readOnly, [header])).status).toBe(403)
    })

    it('leave notifications pending if they are read-only', async () => {
      await visit().raiseNote()
      const { readOnly, full } = visit()
      const seen = [
        await visit().note(readOnly),
        await visit().note(readOnly),
        await visit().note(full),
        await visit().note(full),
      ]
      expect(seen).toEqual([true, true, true, false])
    })

    it('give access only to their services', async () => {
      const some = await visit().token('io alone', { services: ['io'] })
      expect(await visit().statusOf(`GET ${VALUES}`, some)).toBe(200)
      expect(refusalOf(await visit().ask('GET /api/power/', { token: some }))).toBe(403)
      for (const path of ['/api/io/../power/', '/api/io/%2e%2e/power/', '/api/%70ower/', '/api/io%2f..%2fpower/', '//api/power/'])
        expect([path, await visit().statusOf(`GET ${path}`, some)]).not.toEqual([path, 200])
    })

    it('are valid from creation until they are revoked', async () => {
      const short = await visit().token('short')
      expect(await visit().statusOf(`GET ${VALUES}`, short)).toBe(200)
      await visit().world.tokens.revoke(`short ${visit().address}`)
      expect(await visit().statusOf(`GET ${VALUES}`, short)).toBe(401)
    })

    it('are valid until they expire', async () => {
      const guest = await visit().token('guest', { expires: '2027-01-02T00:00:00.000Z' })
      expect(await visit().statusOf(`GET ${VALUES}`, guest)).toBe(200)
      visit().world.advanceDate(86_400_000)
      expect(await visit().statusOf(`GET ${VALUES}`, guest)).toBe(401)
    })

    it('can be tried ten times: then a wrong one is a 429, and valid ones still work', async () => {
      for (let count = 0; count < 10; count++) expect(await visit().statusOf(`GET ${VALUES}`, 'swt_wrong')).toBe(401)
      const answer = await visit().ask(`GET ${VALUES}`, { token: 'swt_wrong' })
      expect(refusalOf(answer)).toBe(429)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(refusalOf(await visit().post('swt_wrong'))).toBe(429)
      expect(await visit().statusOf(`GET ${VALUES}`, visit().full)).toBe(200)
      expect((await visit().ask(`GET ${VALUES}`, { token: 'swt_wrong', from: '127.0.2.1' })).status).toBe(401)
    })

    it('are counted by the address of the connection, not by headers', async () => {
      for (let count = 0; count < 10; count++) {
        const lies = [`X-Forwarded-For: 10.0.0.${count}`, `Forwarded: for=10.0.0.${count}`, `X-Real-IP: 10.0.0.${count}`]
        expect(await visit().statusOf(`GET ${VALUES}`, 'swt_wrong', [...lies, `X-Request-ID: ${count}`])).toBe(401)
      }
      expect(await visit().statusOf(`GET ${VALUES}`, 'swt_wrong', ['X-Forwarded-For: 10.0.0.99'])).toBe(429)
    })

    it.each([
      ['X-Original-URI: /ca.pem', 'X-Original-Method: GET'],
      ['X-Forwarded-Uri: /ca.pem', 'X-Forwarded-Method: GET'],
      ['X-Rewrite-URL: /ca.pem', 'X-Original-URL: /ca.pem'],
      ['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Host: localhost'],
      ['Connection: Authorization', 'Connection: X-Forwarded-For'],
      ['Connection: X-Forwarded-For, X-Forwarded-Uri, X-Forwarded-Method, Host', 'Host-Override: localhost'],
    ])('are required with any header: %s, %s', async (...headers) => {
      expect(await visit().statusOf(`GET ${VALUES}`, undefined, headers)).toBe(401)
      expect((await visit().post(undefined, headers)).status).toBe(401)
    })
  })

  if (traits.isApart) {
    it.each(['Host: localhost', 'Host: 127.0.0.1', 'Host: device.test'])(
      'a service that does not trust the proxy refuses requests without a token: %s',
      async (host) => {
        const as = (line: string, token?: string) =>
          visit().converse(requestHead(line, { token }).replace('Host: localhost', host))
        const { world, readOnly } = visit()
        await visit().raiseNote()
        world.proxies = []
        try {
          for (const line of [`GET ${VALUES}`, `GET ${SAVE}`, `DELETE ${VALUES}`, 'GET /slotwire/metrics'])
            for (const token of [undefined, 'swt_wrong']) expect(await as(line, token)).toMatch(/^HTTP\/1\.1 (401|403|429) /)
          expect(await as(`GET ${SAVE}`, readOnly)).toMatch(/^HTTP\/1\.1 403 /)
          await as(`GET ${NOTE}`, readOnly)
        } finally {
          world.proxies = ['127.0.0.1']
        }
        expect(await visit().note(readOnly)).toBe(true)
        expect(world.audited().map(({ what }) => what.path)).not.toContain(SAVE)
      },
    )
  }
}
