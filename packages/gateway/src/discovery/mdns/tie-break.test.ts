import { describe, expect, it } from 'vitest'
import type { ResourceRecord } from './resource-record.ts'
import { tieBreak } from './tie-break.ts'

const a = (address: string): ResourceRecord => ({
  name: ['press-4', 'local'],
  ttl: 120,
  unique: true,
  data: { type: 'A', address },
})
const aaaa: ResourceRecord = { ...a(''), data: { type: 'AAAA', address: 'fd77::1' } }

describe('two hosts that want one name', () => {
  it('compare what they would say: the later one wins (the example of RFC 6762 section 8.2)', () => {
    expect(tieBreak([a('169.254.99.200')], [a('169.254.200.50')])).toBeLessThan(0)
    expect(tieBreak([a('169.254.200.50')], [a('169.254.99.200')])).toBeGreaterThan(0)
  })

  it('go by the type before the content, and by the number of records at last', () => {
    expect(tieBreak([aaaa], [a('255.255.255.255')])).toBeGreaterThan(0)
    expect(tieBreak([a('10.0.0.1'), aaaa], [a('10.0.0.1')])).toBeGreaterThan(0)
    expect(tieBreak([a('10.0.0.1')], [aaaa, a('10.0.0.1')])).toBeLessThan(0)
  })

  it('have nothing to decide when both say the same, in whatever order', () => {
    expect(tieBreak([aaaa, a('10.0.0.1')], [a('10.0.0.1'), aaaa])).toBe(0)
  })
})
