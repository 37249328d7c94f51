import { describe, expect, it } from 'vitest'
import { fits, type JournalFilter, linesOf } from './journal.ts'

const all: JournalFilter = { kinds: [], slot: undefined }
const lease = (id: string, event: string, holder: string) => ({
  id,
  kind: 'lease',
  modules: [{ slot: 5 }, { slot: 3 }],
  event,
  holder,
})
const write = (id: string, slot: number, status = 200) => ({ id, kind: 'write', method: 'POST', path: '/api/io', slot, status })

describe('fits', () => {
  it.each([
    ['shows every kind by default', write('1-1', 3), all, true],
    ['shows the chosen kinds', write('1-1', 3), { ...all, kinds: ['alert', 'write'] }, true],
    ['hides other kinds', write('1-1', 3), { ...all, kinds: ['alert'] }, false],
    ['hides other slots', write('1-1', 3), { ...all, slot: 5 }, false],
    ['hides what concerns the whole device, if a slot is chosen', { kind: 'device' }, { ...all, slot: 5 }, false],
    ['shows gaps in every selection', { kind: 'gap' as const, missing: 3 }, { ...all, kinds: ['alert'], slot: 5 }, true],
    ['shows a lease of the chosen slot and others', lease('1-1', 'granted', 'Ada'), { ...all, slot: 3 }, true],
    ['hides leases of other slots', lease('1-1', 'granted', 'Ada'), { ...all, slot: 1 }, false],
  ])('%s', (_, entry, filter, expected) => {
    expect(fits(entry, filter)).toBe(expected)
  })
})

describe('linesOf', () => {
  it('names who had the lease of the slot of a write', () => {
    const entries = [
      write('1-1', 3),
      lease('1-2', 'granted', 'Ada'),
      write('1-3', 3),
      write('1-4', 1),
      write('1-5', 3, 423),
      lease('1-6', 'taken-over', 'Bob'),
      write('1-7', 3),
      lease('1-8', 'given-back', 'Bob'),
      write('1-9', 3),
    ]
    expect(linesOf(entries).flatMap(({ entry, holder }) => (entry.kind === 'write' ? [holder] : []))).toEqual([
      undefined,
      'Ada',
      undefined,
      undefined,
      'Bob',
      undefined,
    ])
  })

  it('names each line once, also gaps', () => {
    const gap = { kind: 'gap' as const, missing: undefined }
    expect(linesOf([gap, write('1-1', 3), gap, write('1-2', 3)]).map(({ key }) => key)).toEqual(['gap ', '1-1', 'gap 1-1', '1-2'])
  })
})
