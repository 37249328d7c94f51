import { comparePositions, type Position, parsePosition } from '@slotwire/contract'
import { ManualClock, silentLog } from '@slotwire/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { Journal } from '../journal.ts'
import { type Gap } from '../query.ts'
import type { JournalRecord, RecordFilter, RecordKind } from '../record.ts'
import { FLUSH_MS, HistoryFiles } from './history-files.ts'
import { storedKinds } from './stored-line.ts'

const recordKinds = fc.constantFrom<RecordKind>('alert', 'alert', 'module', 'usb', 'write')
const add = fc.record({ do: fc.constant('add' as const), kind: recordKinds, pin: fc.integer({ min: 1, max: 2 }) })
const step = fc.oneof(
  { weight: 24, arbitrary: add },
  { weight: 2, arbitrary: fc.constant({ do: 'wait' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'restart' as const }, { do: 'kill' as const }) },
)
const positionOf = ({ id }: { readonly id: string }): Position => parsePosition(id) ?? { boot: 0, sequence: 0 }
const isAfter = (first: Position, second: Position) => comparePositions(first, second) > 0

it('gives a reader every record after its position, in order, by itself, in a line with its like, or in a gap', async () => {
  const steps = fc.array(step, { maxLength: 80, size: 'max' })
  const wish = fc.record({ kinds: fc.uniqueArray(recordKinds, { minLength: 1 }), pin: fc.constantFrom(undefined, 1) })
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), wish, fc.integer({ min: 2, max: 10 }), async (taken, chosen, { kinds, pin }, records) => {
      const folder = temporaryFolder()
      const clock = new ManualClock()
      const start = (boot: number): Journal => {
        const history = new HistoryFiles({ folder, boot, clock: clocks.at(-1) ?? clock, log: silentLog })
        return new Journal({ boot, clock, wallTime: () => 0, log: silentLog, history, limits: { records, characters: 1e6 } })
      }
      const clocks = [clock]
      let boot = 1
      let journal = start(boot)
      const all: JournalRecord[] = []
      const killed = new Set<number>()
      for (const each of taken) {
        if (each.do === 'add') all.push(journal.add({ kind: each.kind, slot: each.pin, pin: each.pin, alerts: ['a'] }))
        else if (each.do === 'wait') await clocks.at(-1)?.advance(FLUSH_MS)
        else {
          if (each.do === 'restart') journal.close()
          else killed.add(boot)
          // The timers of a killed process never fire.
          clocks.push(new ManualClock())
          journal = start(++boot)
        }
      }
      const after = all.length === 0 ? { boot: 1, sequence: 0 } : positionOf(all[chosen % all.length] as JournalRecord)
      const wants: RecordFilter = ({ kind, slot }) => kinds.some((each) => each === kind) && (pin ?? slot) === slot
      const { records: read, gap, next } = journal.read(after, wants, kinds)
      expect(next).toEqual(journal.last)
      const ids = read.map(positionOf)
      expect(ids).toEqual([...ids].sort(comparePositions))
      for (const record of read) expect([isAfter(positionOf(record), after), wants(record)]).toEqual([true, true])
      const isCounted = (record: JournalRecord) =>
        read.some(({ id, first, slot }) => {
          const begin = typeof first === 'string' ? parsePosition(first) : undefined
          const at = positionOf(record)
          return begin !== undefined && slot === record.slot && !isAfter(begin, at) && !isAfter(at, positionOf({ id }))
        })
      const wanted = all.filter((record) => isAfter(positionOf(record), after) && wants(record))
      const lost = wanted.filter((record) => !read.some(({ id }) => id === record.id) && !isCounted(record))
      for (const record of lost) expect(isIn(gap, positionOf(record))).toBe(true)
      expect(gap?.missing ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(lost.length)
      // Only what was killed between the position and now makes the reader uncertain.
      const isUncertain = [...killed].some((each) => each >= after.boot)
      const mayMiss = all.some((record) => isAfter(positionOf(record), after) && !storedKinds.has(record.kind))
      if (!isUncertain && lost.length === 0 && !mayMiss) expect(gap).toBeUndefined()
      if (isUncertain) expect(gap?.missing).toBeNull()
    }),
  )
})

function isIn(gap: Gap | undefined, at: Position): boolean {
  return gap !== undefined && !isAfter(positionOf({ id: gap.from }), at) && !isAfter(at, positionOf({ id: gap.to }))
}
