import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Position } from '@slotwire/contract'
import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { Journal, type JournalPage } from '../journal.ts'
import type { RecordFilter } from '../record.ts'
import { FILE_BYTES, FLUSH_MS, HistoryFiles, lastStoredBoot } from './history-files.ts'

let folder: string
let clock: ManualClock
let log: RecordingLog
beforeEach(() => {
  folder = temporaryFolder()
  clock = new ManualClock()
  log = new RecordingLog()
})

const path = () => join(folder, 'history', 'events.jsonl')
const older = () => join(folder, 'history', 'events.1.jsonl')
const lines = (): string[] => readFileSync(path(), 'utf8').split('\n').slice(0, -1)
const NEVER = '{"id":"999999999999999-1","at":"","up_ms":1,"kind":"device"}\n'
const all: RecordFilter = () => true

function start(boot: number, options: { guard?: (write: () => void) => void; records?: number } = {}) {
  const { guard, records = 10_000 } = options
  const history = new HistoryFiles({ folder, boot, clock, log, ...(guard === undefined ? {} : { guard }) })
  const limits = { records, characters: 4_000_000 }
  return { history, journal: new Journal({ boot, clock, wallTime: () => clock.now(), history, log, limits }) }
}

/** Everything after a position, in as many calls as needed, and their gaps. */
function readAll(journal: Journal, after: Position, wants = all) {
  const pages: JournalPage[] = []
  let at = after
  do {
    pages.push(journal.read(at, wants))
    at = pages.at(-1)?.next ?? at
  } while (at.boot !== journal.last.boot || at.sequence !== journal.last.sequence)
  return { ids: pages.flatMap(({ records }) => records.map(({ id }) => id)), gaps: pages.flatMap(({ gap }) => gap ?? []), pages }
}

describe('the history on the disk', () => {
  it('has what happened after less than a second, in one write, and none at rest', async () => {
    const { journal } = start(1)
    journal.add({ kind: 'device', state: 'up' })
    journal.add({ kind: 'write', path: '/' })
    await clock.advance(FLUSH_MS - 1)
    expect(() => lines()).toThrow('ENOENT')
    await clock.advance(1)
    expect(lines()).toEqual([
      '{"id":"1-0","mark":"begin"}',
      '{"id":"1-1","at":"1970-01-01T00:00:00.000Z","up_ms":0,"kind":"device","state":"up"}',
    ])
    expect([clock.pending, FLUSH_MS < 1000, statSync(path()).mode & 0o777]).toEqual([0, true, 0o600])
    journal.close()
    expect(lines().at(-1)).toBe('{"id":"1-2","mark":"end"}')
    expect(lastStoredBoot(folder)).toBe(1)
  })

  it('has several alerts of one pin within a second in one line, with their number and all their flags', async () => {
    const { journal } = start(1)
    const alert = (pin: number, ...alerts: readonly string[]) =>
      journal.add({ kind: 'alert', slot: 3, service: 'io', pin, alerts })
    alert(1, 'high_current_alert')
    alert(2, 'triggered_alert')
    alert(1, 'triggered_alert')
    alert(1, 'high_current_alert')
    await clock.advance(FLUSH_MS)
    alert(1, 'triggered_alert')
    await clock.advance(FLUSH_MS)
    const stored = lines()
      .slice(1)
      .map((line) => JSON.parse(line) as object)
    expect(stored).toMatchObject([
      { id: '1-2', pin: 2, alerts: ['triggered_alert'] },
      { id: '1-4', pin: 1, alerts: ['high_current_alert', 'triggered_alert'], count: 3, first: '1-1' },
      { id: '1-5', pin: 1 },
    ])
    expect(stored[0]).not.toHaveProperty('count')
  })

  it('cuts off half a line that a killed process left, and serves no record of it', async () => {
    start(1).journal.add({ kind: 'device', state: 'up' })
    await clock.advance(FLUSH_MS)
    const whole = readFileSync(path(), 'utf8')
    appendFileSync(path(), '{"id":"1-2","at":"1970-01-01T00:00:00.000Z","up_ms":900,"kind":"alert"')
    const { journal } = start(2)
    expect(readAll(journal, { boot: 1, sequence: 0 })).toMatchObject({
      ids: ['1-1'],
      gaps: [{ from: '1-1', to: '2-0', missing: null }],
    })
    journal.add({ kind: 'device', state: 'up' })
    await clock.advance(FLUSH_MS)
    expect(readFileSync(path(), 'utf8').startsWith(`${whole}{"id":"2-0","mark":"begin"}\n`)).toBe(true)
    // A power failure may leave bytes that were never written.
    appendFileSync(path(), `${'\0'.repeat(100)}\n{"id":"2-2","at":"","up_ms":1,"kind":"device"}\n`)
    expect(readAll(start(3).journal, { boot: 1, sequence: 1 }).ids).toEqual(['2-1', '2-2'])
  })

  it.each<[what: string, damage: () => void, kept: readonly string[], note: RegExp]>([
    ['4 MB of empty lines', () => appendFileSync(path(), '\n'.repeat(FILE_BYTES)), ['1-1', '2-1'], /files are damaged/],
    ['a line of 5 MB', () => appendFileSync(path(), `${'x'.repeat(5_000_000)}\n`), ['1-1', '2-1'], /files are damaged/],
    ['a file of 200 MB', () => truncateSync(path(), 200_000_000), ['1-1', '2-1'], /^$/],
    ['a boot that was never', () => appendFileSync(path(), NEVER), ['1-1', '2-1'], /files are damaged/],
    ['a folder', () => (rmSync(path()), mkdirSync(path())), ['2-1'], /not stored since the start .*EISDIR/],
    ['a link that leads nowhere', () => (rmSync(path()), symlinkSync('/nowhere', path())), ['2-1'], /ELOOP/],
  ])('loses no more than what it cannot read of %s', async (_what, damage, kept, note) => {
    start(1).journal.add({ kind: 'device', state: 'up' })
    await clock.advance(FLUSH_MS)
    damage()
    expect(lastStoredBoot(folder)).toBeLessThan(2)
    const { journal, history } = start(2)
    journal.add({ kind: 'device', state: 'up' })
    await clock.advance(FLUSH_MS)
    expect(readAll(journal, { boot: 1, sequence: 0 }).ids).toEqual(kept)
    expect(history.warnings.join()).toMatch(note)
  })

  it('keeps two files of 4 MB, from which it serves what memory has lost, and a gap for the rest', async () => {
    const { journal } = start(1, { records: 100 })
    const text = 'x'.repeat(500)
    const COUNT = 25_000
    for (let number = 1; number <= COUNT; number++) {
      journal.add({ kind: number % 100 === 0 ? 'usb' : 'alert', slot: number % 3, number, text })
      if (number % 200 === 0) await clock.advance(FLUSH_MS)
    }
    const sizes = [path(), older()].map((file) => statSync(file).size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(FILE_BYTES + 1000)
    const oldest = Number(/"number":(\d+)/.exec(readFileSync(older(), 'utf8'))?.[1])
    const begin = Number(/"1-(\d+)","mark":"begin"/.exec(readFileSync(older(), 'utf8'))?.[1])
    expect(oldest).toBeGreaterThan(COUNT / 4)
    const isAlert: RecordFilter = ({ kind }) => kind === 'alert'
    const expected = (after: number) =>
      Array.from({ length: COUNT - after }, (_, index) => after + index + 1).filter((number) => number % 100 !== 0)
    const ids = (numbers: readonly number[]) => numbers.map((number) => `1-${number}`)
    const read = readAll(journal, { boot: 1, sequence: oldest - 1 }, isAlert)
    expect([read.ids, read.gaps]).toEqual([ids(expected(oldest - 1)), []])
    expect(read.pages.length).toBeGreaterThan(10)
    const early = readAll(journal, { boot: 1, sequence: 10 }, isAlert)
    expect([early.ids.length, early.gaps]).toEqual([read.ids.length, [{ from: '1-11', to: `1-${begin}`, missing: begin - 10 }]])
    // Kinds that are not on the disk.
    const usb = readAll(journal, { boot: 1, sequence: COUNT - 250 }, ({ kind }) => kind === 'usb')
    expect([usb.ids, usb.gaps.length]).toEqual([[`1-${COUNT}`], 1])
  })

  it('keeps what waits while the disk is full, logs that once, and says what was lost', async () => {
    let isFull = true
    const guard = (write: () => void) => {
      if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      write()
    }
    const { journal, history } = start(1, { guard, records: 10 })
    for (let number = 1; number <= 1003; number++) journal.add({ kind: 'device', number })
    await clock.advance(60_000)
    expect(log.linesOf('error').length).toBe(1)
    expect(history.warnings).toEqual(['history: 3 records not stored since the start (ENOSPC)'])
    expect(readAll(journal, { boot: 1, sequence: 0 }).gaps).toEqual([{ from: '1-1', to: '1-3', missing: 3 }])
    isFull = false
    await clock.advance(10_000)
    expect(clock.pending).toBe(0)
    expect(readAll(journal, { boot: 1, sequence: 0 })).toMatchObject({
      gaps: [{ from: '1-1', to: '1-3', missing: 3 }],
      ids: Array.from({ length: 1000 }, (_, index) => `1-${index + 4}`),
    })
    expect(readAll(journal, { boot: 1, sequence: 3 }).gaps).toEqual([])
  })
})
