import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { tokenTextOf } from './callers.ts'

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
