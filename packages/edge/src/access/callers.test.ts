import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { connectionOf } from '../door/door.ts'
import { clientFinder, tokenTextOf } from './callers.ts'

function client(
  connection: string | undefined,
  forwarded: string | undefined,
  proxies: readonly string[] = ['127.0.0.1', '10.0.0.2', '::1'],
) {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: connection })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return clientFinder(() => proxies)(request, connectionOf(request.socket))
}

describe('clientFinder', () => {
  it('returns the address of the connection', () => {
    expect(client('192.0.2.7', undefined)).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client('::ffff:192.0.2.7', undefined)).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client(undefined, undefined)).toEqual({ address: 'unknown', viaProxy: false })
  })

  it('ignores forwarding headers from a client that is not a proxy', () => {
    expect(client('192.0.2.7', '127.0.0.1')).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client('127.0.0.1', '192.0.2.7', [])).toEqual({ address: '127.0.0.1', viaProxy: false })
  })

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['127.0.0.1, 192.0.2.7', '192.0.2.7'],
    ['198.51.100.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['192.0.2.7,10.0.0.2,0:0:0:0:0:0:0:1', '192.0.2.7'],
    ['nonsense, 192.0.2.7', '192.0.2.7'],
  ])('takes from %j the last address that is not a proxy: %s', (forwarded, address) => {
    expect(client('127.0.0.1', forwarded)).toEqual({ address, viaProxy: true })
    expect(client('::ffff:127.0.0.1', forwarded)).toEqual({ address, viaProxy: true })
  })

  it.each([
    '',
    ' ',
    ',',
    'unknown',
    '192.0.2.7:4711',
    '[2001:db8::7]',
    'fe80::7%eth0',
    '192.0.2.7, nonsense',
    '192.0.2.7,',
    '10.0.0.2',
    '_hidden',
  ])('returns the proxy’s own address for %j, and reports the proxy', (forwarded) =>
    expect(client('127.0.0.1', forwarded)).toEqual({ address: '127.0.0.1', viaProxy: true }),
  )

  it('applies changed settings', () => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: '10.0.0.2' })
    const request = new IncomingMessage(socket)
    request.headers['x-forwarded-for'] = '192.0.2.7'
    let proxies: readonly string[] = []
    const find = clientFinder(() => proxies)
    expect(find(request, connectionOf(request.socket)).address).toBe('10.0.0.2')
    proxies = ['10.0.0.2']
    expect(find(request, connectionOf(request.socket)).address).toBe('192.0.2.7')
    proxies = ['10.0.0.3']
    expect(find(request, connectionOf(request.socket)).address).toBe('10.0.0.2')
  })

  it("ignores addresses that the client put before the proxy's entry", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (forged) => {
        expect(client('127.0.0.1', [...forged, '192.0.2.7'].join(', ')).address).toBe('192.0.2.7')
      }),
    ))
})

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64')

describe('tokenTextOf', () => {
  it('returns the text after the first colon of token:…', () => {
    // Made with: printf 'token:secret' | base64
    expect(tokenTextOf('Basic dG9rZW46c2VjcmV0')).toBe('secret')
    expect(tokenTextOf(`Basic ${base64('token:with:colons:')}`)).toBe('with:colons:')
    expect(tokenTextOf(`Basic ${base64('token:')}`)).toBe('')
    expect(tokenTextOf(`Basic ${base64('token:pässwörd')}`)).toBe('pässwörd')
  })

  it('accepts the scheme in any case, and any number of spaces', () => {
    for (const scheme of ['basic', 'BASIC', 'bAsIc', 'Basic ', 'Basic    '])
      expect(tokenTextOf(`${scheme} dG9rZW46c2VjcmV0`)).toBe('secret')
  })

  it('returns the token of Bearer, with the scheme in any case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER '])
      expect(tokenTextOf(`${scheme} swt_abcd1234_x-Y~z.0+/=`)).toBe('swt_abcd1234_x-Y~z.0+/=')
  })

  it.each([
    ['no text', ''],
    ['no scheme', 'dG9rZW46c2VjcmV0'],
    ['the scheme alone', 'Basic'],
    ['another scheme', 'Digest dG9rZW46c2VjcmV0'],
    ['Bearer alone', 'Bearer '],
    ['Bearer and two words', 'Bearer swt_a swt_b'],
    ['Bearer and other characters', 'Bearer swt_ä'],
    ['padding inside a bearer token', 'Bearer swt=a'],
    ['a bearer token that is too long', `Bearer ${'x'.repeat(510)}`],
    ['a tab for a space', 'Basic\tdG9rZW46c2VjcmV0'],
    ['text before the scheme', ' Basic dG9rZW46c2VjcmV0'],
    ['text behind the credentials', 'Basic dG9rZW46c2VjcmV0, Basic dG9rZW46c2VjcmV0'],
    ['base64 for URLs', `Basic ${base64('token:??>>~~').replaceAll('/', '_').replaceAll('+', '-')}`],
    ['missing padding', 'Basic dG9rZW46c2VjcmV0eg'],
    ['too much padding', 'Basic dG9rZW46c2VjcmV0==='],
    ['unused bits that are not zero', 'Basic dG9rZW46c2VjcmV0eh=='],
    ['a line break', 'Basic dG9rZW46\nc2VjcmV0'],
    ['another user', `Basic ${base64('root:secret')}`],
    ['a user in another case', `Basic ${base64('Token:secret')}`],
    ['a user with a space', `Basic ${base64('token :secret')}`],
    ['no user', `Basic ${base64(':secret')}`],
    ['no colon', `Basic ${base64('token')}`],
    ['invalid UTF-8', `Basic ${base64(Uint8Array.of(0x74, 0x6f, 0x6b, 0x65, 0x6e, 0x3a, 0xff))}`],
    ['a byte order mark', `Basic ${base64('\u{feff}token:secret')}`],
    ['a control character', `Basic ${base64('token:sec\0ret')}`],
    ['a header that is too long', `Basic ${base64(`token:${'x'.repeat(400)}`)}`],
  ])('returns undefined for %s', (_, header) => expect(tokenTextOf(header)).toBeUndefined())

  it('returns every valid password unchanged', () => {
    const password = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !/\p{Cc}/u.test(text))
    fc.assert(fc.property(password, (text) => tokenTextOf(`Basic ${base64(`token:${text}`)}`) === text))
  })

  it('returns undefined for any other user', () => {
    const user = fc.string({ unit: anyCharacter, maxLength: 20 }).filter((text) => text.split(':')[0] !== 'token')
    fc.assert(fc.property(user, fc.string(), (name, text) => tokenTextOf(`Basic ${base64(`${name}:${text}`)}`) === undefined))
  })

  it('returns undefined for any text that is not in canonical form', () => {
    const canonical = (header: string, password: string): boolean =>
      header.replace(/^basic +/i, '') === base64(`token:${password}`)
    const header = fc.oneof(
      fc.string(),
      fc.base64String().map((text) => `Basic ${text}`),
      fc.string().map((text) => `Basic dG9rZW46${text}`),
    )
    fc.assert(
      fc.property(header, (text) => {
        const password = tokenTextOf(text)
        return password === undefined || canonical(text, password)
      }),
      { numRuns: cases(500) },
    )
  })
})
