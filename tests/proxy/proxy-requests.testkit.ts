import { describe, expect, it } from 'vitest'
import { answersIn } from '../../packages/edge/src/door/socket.testkit.ts'
import { converseWith, handshake, requestHead } from './proxy-client.testkit.ts'
import { BODY, type DoorSession, type DoorTraits, MODE, NOTE, refusalOf, SAVE, VALUES } from './proxy-session.testkit.ts'

/** Tests of bodies, answers and malformed requests. */
export function testRequests(visit: () => DoorSession, traits: DoorTraits): void {
  describe('answers', () => {
    it('keep the service’s headers about their age', async () => {
      const cached = await visit().ask(`GET ${VALUES}`, { token: visit().full })
      expect(cached.headers).toMatchObject({ age: '0', 'cache-control': 'no-cache', 'content-type': 'application/json' })
      const live = await visit().ask('GET /api/bmc/1.0/0/voltage', { token: visit().full })
      expect(live.headers).toMatchObject({ 'cache-control': 'no-store' })
      expect(live.headers['age']).toBeUndefined()
    })

    it('come from the module if the client asks for that', async () => {
      const reads = () => visit().world.device.bus.count
      await visit().ask(`GET ${VALUES}`, { token: visit().full })
      const before = reads()
      await visit().ask(`GET ${VALUES}`, { token: visit().full })
      expect(reads()).toBe(before)
      await visit().ask(`GET ${VALUES}`, { token: visit().full, headers: ['Cache-Control: no-cache'] })
      expect(reads()).toBeGreaterThan(before)
    })

    it('have no body for HEAD', async () => {
      const get = await visit().ask(`GET ${VALUES}`, { token: visit().full })
      const head = await visit().ask(`HEAD ${VALUES}`, { token: visit().full })
      expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': String(get.body.length) } })
      expect(await visit().ask(`HEAD ${VALUES}`)).toMatchObject({ status: 401, body: '' })
      expect(await visit().ask(`HEAD ${NOTE}`, { token: visit().full })).toMatchObject({ status: 405, body: '' })
      expect(await visit().ask('HEAD /nowhere', { token: visit().full })).toMatchObject({ status: 404, body: '' })
    })

    it('follow one another on a connection', async () => {
      const get = (path: string, connection?: string) => requestHead(`GET ${path}`, { token: visit().full }, connection)
      const bytes = get(VALUES, 'keep-alive') + get('/nowhere', 'keep-alive') + get('/api/power/')
      expect(answersIn(await visit().converse(bytes)).map(({ status }) => status)).toEqual([200, 404, 200])
    })
  })

  describe('bodies', () => {
    const big = (length: number) => JSON.stringify({ pin: 6, mode: 'x'.repeat(length) })

    it('are refused above 64 KiB: 413', async () => {
      expect(refusalOf(await visit().post(visit().full, [], big(70_000)))).toBe(413)
      expect((await visit().post(visit().full, [], big(60_000))).status).toBe(422)
    })

    it('are refused with several megabytes, and the refusal arrives', async () =>
      expect(refusalOf(await visit().post(visit().full, [], big(8_000_000)))).toBe(413))

    it('are limited in chunks too', async () => {
      const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
      const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
      const bytes = `${requestHead(`POST ${MODE}`, { token: visit().full, headers })}${chunk}${chunk}0\r\n\r\n`
      expect(answersIn(await visit().converse(bytes)).map(refusalOf)).toEqual([413])
      const fitting = `${requestHead(`POST ${MODE}`, { token: visit().full, headers })}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
      expect(answersIn(await visit().converse(fitting)).map(({ status }) => status)).toEqual([200])
    })

    it('are not read without a token: 401 immediately', async () => {
      expect(refusalOf(await visit().post(undefined, [], big(8_000_000)))).toBe(401)
      expect(refusalOf(await visit().post('swt_wrong', [], big(70_000)))).toBe(401)
      const headers = ['Content-Type: application/json', 'Content-Length: 8000000']
      expect(answersIn(await visit().converse(requestHead(`POST ${MODE}`, { headers }))).map(refusalOf)).toEqual([401])
    })

    it('are sent after 100 Continue', async () => {
      const headers = ['Expect: 100-continue']
      const text = await visit().converse(requestHead(`POST ${MODE}`, { token: visit().full, headers, body: BODY }) + BODY)
      expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
    })
  })

  describe('malformed requests', () => {
    const hidden = () => requestHead(`GET ${SAVE}`, { token: visit().full })
    const shapes: readonly (readonly [string, readonly string[], string])[] = [
      ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
      ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], '0\r\n\r\n'],
      ['two lengths', ['Content-Length: 4', 'Content-Length: 0'], '{  }'],
      ['a list of lengths', ['Content-Length: 4, 0'], '{  }'],
      ['a length with a sign', ['Content-Length: +4'], '{  }'],
      ['a length in hexadecimal', ['Content-Length: 0x4'], '{  }'],
      ['a coding that ends in chunked', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
      ['chunked and another coding', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
      ['an invalid chunk size', ['Transfer-Encoding: chunked'], '0x0\r\n\r\n'],
      ['a huge chunk size', ['Transfer-Encoding: chunked'], 'ffffffffffffffff0\r\n'],
    ]

    const unclear = shapes.filter(([title]) => traits.understands?.includes(title) !== true)

    it.each(unclear)('are refused, and the bytes after them are ignored: %s', async (_, headers, body) => {
      const before = visit().world.audited().length
      const text = await visit().converse(
        requestHead(
          `POST ${MODE}`,
          { token: visit().full, headers: ['Content-Type: application/json', ...headers] },
          'keep-alive',
        ) +
          body +
          hidden(),
      )
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([
        expect.stringMatching(traits.parserLikeService ? / 400$/ : / (400|501|502)$/),
      ])
      const paths = visit()
        .world.audited()
        .slice(before)
        .map(({ what }) => what.path)
      expect(paths).not.toContain(SAVE)
      if (traits.parserLikeService) expect(answersIn(text).map(refusalOf)).toEqual([400])
    })

    it.each([
      ['headers of more than 16 KiB', `X: ${'x'.repeat(17_000)}`],
      ['a thousand headers', Array.from({ length: 1_500 }, (_, index) => `X-${index}: ${'x'.repeat(10)}`).join('\r\n')],
    ])('are refused with 431: %s', async (_, header) => {
      const text = await visit().converse(requestHead(`GET ${VALUES}`, { token: visit().full, headers: [header] }))
      expect(text).toMatch(/^HTTP\/1\.1 431 /)
      if (traits.parserLikeService) expect(answersIn(text).map(refusalOf)).toEqual([431])
    })

    it.each([
      ['a path of more than 16 KiB', `GET /${'a'.repeat(17_000)}`, 431],
      ['an unknown method', 'BREW /api/io/', 400],
      ['an invalid request line', 'nonsense', 400],
    ])('are refused: %s', async (_, line, status) => {
      const text = await visit().converse(requestHead(line, { token: visit().full }))
      if (traits.parserLikeService) expect(answersIn(text).map(refusalOf)).toEqual([status])
      else expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
    })

    if (traits.parserLikeService) {
      it('are refused: TRACE, and plain HTTP at the port for TLS', async () => {
        const answer = await visit().ask(`TRACE ${VALUES}`, { token: visit().full })
        expect([refusalOf(answer), answer.headers['allow']]).toEqual([405, expect.stringContaining('GET, HEAD')])
        const { door } = visit()
        const text = await converseWith({ ...door, httpPort: door.httpsPort }, requestHead('GET /'), { plain: true })
        expect(answersIn(text).map(refusalOf)).toEqual([400])
        expect(text).toContain('this port uses TLS: use https')
      })
    }
  })

  describe('TLS', () => {
    const modern = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const

    it.each([
      ['TLS 1.3', { minVersion: 'TLSv1.3' }],
      ['TLS 1.2 with AES', { ...modern, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }],
      ['TLS 1.2 with ChaCha20', { ...modern, ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' }],
    ] as const)('is accepted with %s', async (_, options) => expect(await handshake(visit().door, options)).toBe('accepted'))

    it.each([
      ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
      ['TLS 1.2 without forward secrecy', { ...modern, ciphers: 'AES128-GCM-SHA256' }],
      ['TLS 1.2 without authenticated encryption', { ...modern, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }],
    ] as const)('is refused with %s', async (_, options) => expect(await handshake(visit().door, options)).toMatch(/^refused/))
  })
}
