import { fromIsoTime } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { parseExpiry } from './token-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')

describe('--expires', () => {
  it.each([
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['90d', '2027-02-19T12:00:00.000Z'],
    ['2w', '2026-12-05T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30.5+02:00', '2027-01-31T16:00:30.500Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s means until %s', (text, end) => expect(parseExpiry(text, NOW)).toBe(end))

  it('takes a time without a zone as local', () =>
    expect(parseExpiry('2027-01-31T18:00', NOW)).toBe(new Date(2027, 0, 31, 18).toISOString()))

  it.each(['0d', '2026-11-21', '2026-11-21T12:00:00Z', '1999-12-31'])('refuses %s: not in the future', (text) =>
    expect(() => parseExpiry(text, NOW)).toThrow('it must be in the future: expected a duration (12h, 90d, 2w) or a time'),
  )

  it.each([
    '',
    '90',
    '90 d',
    '-1d',
    '1.5d',
    '1y',
    '1234567d',
    'tomorrow',
    '2027-02-30',
    '2027-13-01',
    '2027-1-1',
    '01.02.2027',
    '2027',
  ])('refuses %s: neither duration nor date', (text) =>
    expect(() => parseExpiry(text, NOW)).toThrow(/^expected a duration \(12h, 90d, 2w\) or a time/),
  )
})
