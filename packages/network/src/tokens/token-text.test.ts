import { seededRandom, systemRandom } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTokenId, randomParts, tokenParts, tokenText, withoutSecrets } from './token-document.ts'

const nothingTaken = () => false

describe('tokenText and randomParts', () => {
  it('use the form swt_<id>_<secret> with letters and digits only', () => {
    for (let count = 0; count < 100; count++) {
      expect(tokenText(randomParts(systemRandom, nothingTaken))).toMatch(/^swt_[0-9a-z]{8}_[0-9A-Za-z]{43}$/)
    }
  })

  it('use every letter and digit in every position', () => {
    const secrets = Array.from({ length: 2000 }, () => randomParts(systemRandom, nothingTaken).secret)
    for (const place of [0, 21, 42]) expect(new Set(secrets.map((secret) => secret.charAt(place))).size).toBe(62)
    expect(new Set(secrets).size).toBe(2000)
  })

  it('never choose an id that is taken', () => {
    const first = randomParts(seededRandom(1), nothingTaken)
    const second = randomParts(seededRandom(1), (id) => id === first.id)
    expect(second.id).not.toBe(first.id)
    expect(isTokenId(second.id)).toBe(true)
  })

  it('can be split into the same parts again', () => {
    const parts = randomParts(systemRandom, nothingTaken)
    expect(tokenParts(tokenText(parts))).toEqual(parts)
  })

  it('yield no valid id and a bounded secret for any other text', () => {
    const real = tokenText(randomParts(systemRandom, nothingTaken))
    const wrong = [
      '',
      'swt_',
      'swt__',
      real.slice(0, -1),
      `${real}x`,
      ` ${real}`,
      `${real}\n`,
      real.toUpperCase(),
      'x'.repeat(10_000),
    ]
    for (const text of wrong) expect(isTokenId(tokenParts(text).id)).toBe(false)
    fc.assert(fc.property(fc.string(), (text) => tokenParts(text).secret.length <= 43))
  })
})

describe('withoutSecrets', () => {
  const { id, secret } = randomParts(seededRandom(2), nothingTaken)
  const text = tokenText({ id, secret })

  it('replaces each secret and keeps the id', () => {
    expect(withoutSecrets(`a ${text} b ${text.slice(0, 30)} c`)).toBe(`a swt_${id}_… b swt_${id}_… c`)
    expect(withoutSecrets(`${text}${text}`)).toBe(`swt_${id}_…`)
  })

  it('keeps a text without secrets', () => {
    for (const harmless of ['', 'swt_', 'swt_abc_def', '{"pin":1}']) expect(withoutSecrets(harmless)).toBe(harmless)
  })
})
