import { parsePosition } from '@slotwire/contract'
import { ManualClock, silentLog } from '@slotwire/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Journal } from './journal.ts'
import type { RecordFilter, RecordKind } from './record.ts'

it('numbers records and gives them the time of the date, of the process and of the twin', async () => {
  const clock = new ManualClock()
  const twinTime = new ManualClock()
  const journal = new Journal({ boot: 7, clock, wallTime: () => 0, twinTime, log: silentLog })
  const seen: string[] = []
  const stop = journal.subscribe(({ id }) => seen.push(id))
  expect(journal.last).toEqual({ boot: 7, sequence: 0 })
  journal.add({ kind: 'device', state: 'up' })
  await clock.advance(1500)
  await twinTime.advance(20)
  const alert = journal.add({ kind: 'alert', slot: 3, service: 'io', session: 'abc', pin: 1 })
  stop()
  journal.add({ kind: 'device', state: 'restarting' })
  expect(JSON.stringify(alert)).toBe(
    '{"id":"7-2","at":"1970-01-01T00:00:00.000Z","up_ms":1500,"twin_ms":20,"kind":"alert","slot":3,"service":"io","session":"abc","pin":1}',
  )
  expect(seen).toEqual(['7-1', '7-2'])
  expect(journal.last).toEqual({ boot: 7, sequence: 3 })
})

it.each([
  ['1-0', { boot: 1, sequence: 0 }],
  ['12-345', { boot: 12, sequence: 345 }],
  ['0-1', undefined],
  ['1-01', undefined],
  ['1', undefined],
  ['1-2-3', undefined],
  [' 1-2', undefined],
  ['1-9999999999999999', undefined],
])('reads the position %j as %j', (id, position) => expect(parsePosition(id)).toEqual(position))

const kinds = fc.constantFrom<RecordKind>('alert', 'module', 'write', 'usb')
const filter = fc.record({ kinds: fc.uniqueArray(kinds, { minLength: 1 }), slot: fc.constantFrom(undefined, 1, 2) })
const journalOf = (limits?: { records: number; characters: number }) =>
  new Journal({
    boot: 2,
    clock: new ManualClock(),
    wallTime: () => 0,
    log: silentLog,
    ...(limits === undefined ? {} : { limits }),
  })

it('reads what memory holds after any position, with a gap exactly if a wanted record was dropped', () => {
  const records = fc.array(fc.record({ kind: kinds, slot: fc.integer({ min: 1, max: 2 }) }), { maxLength: 60, size: 'max' })
  const position = fc.record({ boot: fc.integer({ min: 1, max: 3 }), sequence: fc.nat({ max: 60 }) })
  const most = fc.integer({ min: 1, max: 20 })
  fc.assert(
    fc.property(records, position, filter, most, (added, after, choice, limit) => {
      const journal = journalOf({ records: limit, characters: 1e6 })
      const all = added.map((each) => journal.add(each))
      const wants: RecordFilter = ({ kind, slot }) => choice.kinds.some((each) => each === kind) && (choice.slot ?? slot) === slot
      const isWrite = (record: { kind: string }) => record.kind === 'write'
      const held = [...all.filter(isWrite).slice(-limit), ...all.filter((each) => !isWrite(each)).slice(-limit)]
      const { gap, records: read, next } = journal.read(after, wants)
      expect(next).toEqual(journal.last)
      const isForeign = after.boot > 2 || (after.boot === 2 && after.sequence > all.length)
      const sequence = after.boot === 2 && !isForeign ? after.sequence : 0
      const wanted = all.slice(sequence).filter(wants)
      expect(read).toEqual(wanted.filter((record) => held.includes(record)))
      const lost = wanted.filter((record) => !held.includes(record))
      expect(gap !== undefined).toBe(isForeign || after.boot < 2 || lost.length > 0)
      if (gap === undefined) return
      expect(gap.from).toBe(isForeign ? '2-0' : `${after.boot}-${after.sequence + 1}`)
      expect(gap.missing === null).toBe(isForeign || after.boot < 2)
      expect(gap.missing ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(lost.length)
      const to = parsePosition(gap.to)?.sequence ?? 0
      for (const { id } of lost) expect(parsePosition(id)?.sequence).toBeLessThanOrEqual(to)
    }),
  )
})

it('keeps 4 million characters at most, and the last record in any case', () => {
  const journal = journalOf()
  const long = 'x'.repeat(1_000_000)
  for (let count = 0; count < 6; count++) journal.add({ kind: 'usb', long })
  expect(journal.records().map(({ id }) => id)).toEqual(['2-3', '2-4', '2-5', '2-6'])
  journal.add({ kind: 'usb', long: long.repeat(5) })
  expect(journal.records().map(({ id }) => id)).toEqual(['2-7'])
})

it('never drops an alert for a write', () => {
  const journal = journalOf()
  const { id } = journal.add({ kind: 'alert' })
  for (let count = 0; count < 10_001; count++) journal.add({ kind: 'write' })
  expect(journal.records().map((record) => record.id)).toEqual([
    id,
    ...Array.from({ length: 10_000 }, (_, index) => `2-${index + 3}`),
  ])
  expect(journal.read({ boot: 2, sequence: 0 }, ({ kind }) => kind === 'alert', ['alert'])).not.toHaveProperty('gap')
  expect(journal.read({ boot: 2, sequence: 0 }, () => true).gap).toEqual({ from: '2-1', to: '2-2', missing: 1 })
})
