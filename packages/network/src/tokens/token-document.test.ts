import { describe, expect, it } from 'vitest'
import { formatTokens, MAX_TOKENS, parseTokens, type StoredToken } from './token-document.ts'

const token: StoredToken = {
  id: 'abcd1234',
  name: 'line 3 PLC',
  // SHA-256 of "abc"; FIPS 180-2, B.1.
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  readOnly: false,
  services: ['io', 'power'],
  created: '2026-11-21T14:26:56.000Z',
  expires: '2027-02-19T14:26:56.000Z',
}
const { services: _services, expires: _expires, ...plain } = token

const document = `{
  "tokens": [
    {
      "id": "abcd1234",
      "name": "line 3 PLC",
      "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "readOnly": false,
      "services": [
        "io",
        "power"
      ],
      "created": "2026-11-21T14:26:56.000Z",
      "expires": "2027-02-19T14:26:56.000Z"
    }
  ]
}
`

describe('formatTokens and parseTokens', () => {
  it('write and read a readable document', () => {
    expect(formatTokens([token])).toBe(document)
    expect(parseTokens(document)).toEqual([token])
  })

  it('omit optional keys without a value', () => {
    const text = formatTokens([{ ...plain, services: undefined, expires: undefined }])
    expect(text).not.toMatch(/services|expires/)
    expect(parseTokens(text)).toEqual([plain])
  })

  const broken: readonly (readonly [string, string, string])[] = [
    ['is cut off', document.slice(0, 120), 'this is not JSON'],
    ['is empty', '', 'this is not JSON'],
    ['is something else', '[]', 'there must be an object with a list of tokens'],
    ['has no list', '{"tokens": {}}', 'there must be an object with a list of tokens'],
    ['has an invalid token', '{"tokens":\n[\n7]}', 'token 1: it must be an object'],
    ['lacks a key', document.replace('      "readOnly": false,\n', ''), 'token 1: readOnly must be true or false'],
    ['has a wrong value', document.replace('false', '"no"'), 'token 1: readOnly must be true or false'],
    ['has a misspelled key', document.replace('services', 'service'), 'token 1: each key must be one of id, name, sha256,'],
    [
      'has an empty list of services',
      document.replace(/\[\s+"io",\s+"power"\s+\]/, '[]'),
      'token 1: services must be a list of names',
    ],
    ['has half a digest', document.replace('ba7816bf', ''), 'token 1: sha256 must be 64 hexadecimal digits'],
    [
      'has a name over two lines',
      document.replace('line 3', 'line\\n3'),
      'token 1: the name must have only printable characters',
    ],
    ['has an invalid id', document.replace('abcd1234', 'ABCD1234'), 'token 1: id must be 8 lower-case letters and digits'],
    ['has an invalid date', document.replace('"2027-02-19', '"2027-20-19'), 'token 1: expires must be a date in ISO 8601'],
    ['has an invalid second token', formatTokens([token]).replace('    }\n', '    },\n    {}\n'), 'token 2: id must be'],
    ['has a name twice', formatTokens([token, { ...token, id: 'zzzz1234' }]), 'two tokens have the same name'],
    ['has an id twice', formatTokens([token, { ...token, name: 'another' }]), 'two tokens have the same id'],
  ]

  it.each(broken)('refuse a document that %s', (_, text, message) => expect(() => parseTokens(text)).toThrow(message))

  it('never quote the document in a message', () => {
    for (const [, text] of broken) expect(() => parseTokens(text)).not.toThrow(/ba7816bf|f20015ad/)
  })

  it(`accept ${MAX_TOKENS} tokens and no more`, () => {
    const tokens = Array.from({ length: MAX_TOKENS + 1 }, (_, index) => ({
      ...token,
      id: String(index).padStart(8, '0'),
      name: `token ${index}`,
    }))
    expect(parseTokens(formatTokens(tokens.slice(1)))).toHaveLength(1000)
    expect(() => parseTokens(formatTokens(tokens))).toThrow('there must be at most 1000 tokens')
  })
})
