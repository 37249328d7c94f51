import { createHash, timingSafeEqual } from 'node:crypto'
import { seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import type { StoredToken } from './token-document.ts'
import { randomParts, tokenText } from './token-document.ts'
import { type Digests, sha256, TokenIndex } from './token-store.ts'

const random = seededRandom(1)
const parts = Array.from({ length: 100 }, () => randomParts(random, () => false))
const stored: readonly StoredToken[] = parts.map(({ id, secret }) => ({
  id,
  name: id,
  sha256: createHash('sha256').update(secret).digest('hex'),
  readOnly: false,
  services: undefined,
  created: '2026-11-21T12:00:00.000Z',
  expires: undefined,
}))
const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]]
const right = tokenText(first)

/** All texts that are looked up, by description. */
const questions = {
  right,
  'another token': tokenText(second),
  'wrong at the first letter': tokenText({
    id: first.id,
    secret: `${first.secret.startsWith('a') ? 'b' : 'a'}${first.secret.slice(1)}`,
  }),
  'wrong at the last letter': right.slice(0, -1) + (right.endsWith('a') ? 'b' : 'a'),
  'the secret of another token': tokenText({ id: first.id, secret: second.secret }),
  'an unknown id': tokenText({ id: '00000000', secret: first.secret }),
  half: right.slice(0, 30),
  empty: '',
  'a password': 'correct horse battery staple',
  'a very long text': 'x'.repeat(8000),
}

describe('TokenIndex.find', () => {
  it('computes one digest and compares it once, for any text', () => {
    const done: string[] = []
    const counting: Digests = {
      digest: (secret) => {
        done.push('digest')
        return sha256.digest(secret)
      },
      equal: (left, found) => {
        done.push(`compare ${left.length} with ${found.length}`)
        return timingSafeEqual(left, found)
      },
    }
    const index = new TokenIndex(stored, counting)
    for (const [what, text] of Object.entries(questions)) {
      done.length = 0
      index.find(text)
      expect(done, what).toEqual(['digest', 'compare 64 with 64'])
    }
  })

  it('finds valid tokens only', () => {
    const index = new TokenIndex(stored)
    const found = Object.entries(questions).filter(([, text]) => index.find(text) !== undefined)
    expect(found.map(([what]) => what)).toEqual(['right', 'another token'])
    expect(new TokenIndex([]).find(right)).toBeUndefined()
  })
})
