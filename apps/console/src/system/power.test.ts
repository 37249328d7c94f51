import { describe, expect, it } from 'vitest'
import { railLoad, railPower, railsAbove } from './rails.ts'
import { withRise } from './rises.ts'

const stats = {
  ...{ voltage_3v3: 3300, voltage_5v0: 5000, voltage_12v: 12_000 },
  ...{ current_3v3: 1500, current_5v0: 200, current_12v: 0 },
  ...{ limit_3v3: 3000, limit_5v0: 4000, limit_12v: 0 },
}

describe('a rail', () => {
  it('has the power of its voltage and current', () => expect(railPower(stats, '3v3')).toBe(4950))
  it('has a load in percent of its limit', () => expect(railLoad(stats, '3v3')).toBe(50))
  it('has no load without a limit', () => expect(railLoad(stats, '12v')).toBe(0))
  it('is named if its current is above a new limit', () => {
    expect(railsAbove(stats, { limit_3v3: 1499, limit_5v0: 200, limit_12v: 101 })).toEqual(['3v3'])
  })
})

describe('withRise', () => {
  const rise = { kind: 'protection', slot: 1, at: '2026-11-24T14:03:07Z', counter: 'ovp_cnt_3v3', from: 1, to: 2 }
  it('keeps the last rise of each counter', () => {
    const later = { ...rise, at: '2026-11-24T15:00:00Z', from: 2, to: 4 }
    const rises = withRise(withRise(new Map(), rise, 1), later, 1)
    expect([...rises]).toEqual([['ovp_cnt_3v3', { at: later.at, from: 2, to: 4 }]])
  })
  it.each([
    ['another slot', { ...rise, slot: 2 }],
    ['another kind', { ...rise, kind: 'alert' }],
    ['a gap', { kind: 'gap' as const, missing: 1 }],
  ])('ignores %s', (_, record) => expect(withRise(new Map(), record, 1).size).toBe(0))
})
