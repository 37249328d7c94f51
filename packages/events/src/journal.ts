import { comparePositions, formatPosition, type Position, parsePosition } from '@slotwire/contract'
import { type Clock, isoTime, Listeners, type Log, type WallTime } from '@slotwire/core'
import type { HistoryFiles } from './history/history-files.ts'
import { type ReadPosition, readStored, type StoredPage } from './history/read-stored.ts'
import { storedKinds } from './history/stored-line.ts'
import { type Gap, GapTally } from './query.ts'
import {
  type JournalRecord,
  type NewRecord,
  type RecordFilter,
  type RecordKind,
  type RecordPlace,
  recordKinds,
} from './record.ts'

/** Most records in memory, and most characters of their JSON. */
const ringLimits = { records: 10_000, characters: 4_194_304 }

export interface JournalOptions {
  /** Number of this start of the process, from 1. */
  readonly boot: number
  /** Monotonic real time. */
  readonly clock: Clock
  readonly wallTime: WallTime
  /** Time of the twin; undefined on a device. */
  readonly twinTime?: Clock | undefined
  /** Keeps records on the disk; undefined: they end with the process. */
  readonly history?: HistoryFiles | undefined
  readonly log: Log
  /** Default: `ringLimits`. */
  readonly limits?: typeof ringLimits
}

/** Records of a journal in order. `next` is before `last` if there is much on the disk: read again from there, in a later turn. */
export interface JournalPage extends StoredPage {
  /**
   * Records that the reader may have wanted, and that are lost. It says how many at most: alerts of an earlier process that were counted
   * in one line are not lost.
   */
  readonly gap?: Gap
}

/** The numbered records of everything that happens. The newest stay in memory; writes of clients never push out other kinds. */
export class Journal {
  readonly #startedMs: number
  readonly #listeners: Listeners<JournalRecord>
  readonly #writes: Ring
  readonly #others: Ring
  readonly #counts = new Map<RecordKind, number>()
  #sequence = 0

  constructor(private readonly options: JournalOptions) {
    this.#startedMs = options.clock.now()
    this.#listeners = new Listeners((err) => options.log.error({ err }, 'a reader of the journal failed'))
    this.#writes = new Ring(options.limits)
    this.#others = new Ring(options.limits)
  }

  /** Position of the last record. */
  get last(): Position {
    return { boot: this.options.boot, sequence: this.#sequence }
  }

  /** Numbers a record, keeps it, and calls the subscribers before it returns. */
  add({ kind, ...fields }: NewRecord): JournalRecord {
    const { boot, clock, wallTime, twinTime, history } = this.options
    const record: JournalRecord = {
      id: formatPosition({ boot, sequence: ++this.#sequence }),
      at: isoTime(wallTime()),
      up_ms: Math.round(clock.now() - this.#startedMs),
      ...(twinTime === undefined ? {} : { twin_ms: Math.round(twinTime.now()) }),
      kind,
      ...fields,
    }
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    const ring = kind === 'write' ? this.#writes : this.#others
    ring.push(this.#sequence, record)
    history?.add(record)
    this.#listeners.emit(record)
    return record
  }

  /** The records in memory, oldest first. */
  records(): readonly JournalRecord[] {
    return this.#inMemory(0, this.#sequence).map(({ record }) => record)
  }

  /**
   * The records after a position that a reader wants, oldest first: from memory, and those of the stored kinds also from the disk. `kinds`
   * are those among which the filter chooses. After a position that this journal never gave come a gap and all records of this run.
   */
  read(after: ReadPosition, wants: RecordFilter, kinds: readonly RecordKind[] = recordKinds): JournalPage {
    const { boot, history } = this.options
    const { last } = this
    if (comparePositions(after, last) > 0) {
      // Of another life of the store, perhaps: the reader has none of this run.
      const from = { boot, sequence: 0 }
      const page = this.read(from, wants, kinds)
      return { ...page, gap: { from: formatPosition(from), to: page.gap?.to ?? formatPosition(from), missing: null } }
    }
    const tally = new GapTally(after)
    const begin = after.boot === boot ? after.sequence : 0
    const until = this.#storedUntil(after.boot, begin)
    let next: ReadPosition = last
    let stored: readonly JournalRecord[] = []
    if (history !== undefined && until !== undefined) {
      const page = readStored(history.lines(after), { after, until }, { wants, kinds }, tally)
      stored = page.records
      if (comparePositions(page.next, until) < 0) next = page.next
    } else if (after.boot < boot) tally.add({ boot, sequence: 0 }, null)
    const end = next.boot === boot ? next.sequence : 0
    this.#tallyDropped(after, end, wants, tally)
    const matching = this.#inMemory(begin, end, until?.sequence).filter(({ record }) => wants(record))
    const numbered = stored.map((record) => ({ sequence: sequenceIn(boot, record), record }))
    const { gap } = tally
    return { records: inOrder(numbered, matching).map(({ record }) => record), ...(gap === undefined ? {} : { gap }), next }
  }

  /** The lines of the stored kinds in blocks, oldest first: from the disk, or from memory without one. */
  storedLines(after?: Position): Iterable<readonly string[]> {
    const { history } = this.options
    if (history !== undefined) return history.lines(after)
    return [this.records().flatMap((record) => (storedKinds.has(record.kind) ? [JSON.stringify(record)] : []))]
  }

  /** Number of records so far, by kind. */
  get counts(): ReadonlyMap<RecordKind, number> {
    return this.#counts
  }

  /** Whether anything follows the journal: then modules are read more often for it. */
  get isFollowed(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls `listener` with each new record until the returned function is called. */
  subscribe(listener: (record: JournalRecord) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Writes what waits for the disk. Later records stay in memory. */
  close(): void {
    this.options.history?.close(this.last)
  }

  /** Up to where a reader needs the disk; undefined: memory has everything. */
  #storedUntil(boot: number, begin: number): Position | undefined {
    const { boot: own, history } = this.options
    const { floor } = this.#others
    if (history !== undefined && begin < floor) return { boot: own, sequence: history.endOfBatch(floor) }
    return boot < own ? { boot: own, sequence: 0 } : undefined
  }

  /** In order. `storedTo`: those of stored kinds up to this sequence come from the disk. */
  #inMemory(after: number, last: number, storedTo = 0): readonly Numbered[] {
    const unstored = this.#others
      .between(after, last)
      .filter(({ sequence, record }) => sequence > storedTo || !storedKinds.has(record.kind))
    return inOrder(this.#writes.between(after, last), unstored)
  }

  /** What was dropped between the reader's position and `last`, and is not on the disk. */
  #tallyDropped(after: ReadPosition, last: number, wants: RecordFilter, tally: GapTally): void {
    const { boot, history } = this.options
    const { from = after } = after
    const [begin, first] = [after, from].map((position) => (position.boot === boot ? position.sequence : 0))
    for (const dropped of [...this.#writes.dropped, ...this.#others.dropped]) {
      const { place, count, last: sequence } = dropped
      const isStored = history !== undefined && storedKinds.has(place.kind)
      if (sequence <= (begin ?? 0) || sequence > last || isStored || !wants(place)) continue
      tally.add({ boot, sequence }, Math.min(count, sequence - (first ?? 0)))
    }
  }
}

interface Numbered {
  readonly sequence: number
  readonly record: JournalRecord
}

/** Two lists that are in order as one. */
function inOrder(first: readonly Numbered[], second: readonly Numbered[]): readonly Numbered[] {
  if (first.length === 0) return second
  return second.length === 0 ? first : [...first, ...second].sort((a, b) => a.sequence - b.sequence)
}

/** 0 for a record of an earlier boot. */
function sequenceIn(boot: number, { id }: JournalRecord): number {
  const position = parsePosition(id)
  return position?.boot === boot ? position.sequence : 0
}

interface Kept extends Numbered {
  readonly characters: number
}

/** Records of one kind, place and service that were dropped. */
interface Dropped {
  readonly place: RecordPlace
  count: number
  /** Sequence of the last of them. */
  last: number
}

/** The newest records, in order. */
class Ring {
  readonly #kept: Kept[] = []
  readonly #dropped = new Map<string, Dropped>()
  #characters = 0
  #floor = 0

  constructor(private readonly limits = ringLimits) {}

  /** Sequence of the last record that was dropped; 0: none. */
  get floor(): number {
    return this.#floor
  }

  /** What was dropped. There are as many as combinations of kind, slots and service. */
  get dropped(): Iterable<Dropped> {
    return this.#dropped.values()
  }

  /** `sequence` is greater than all before. */
  push(sequence: number, record: JournalRecord): void {
    const { records, characters: most } = this.limits
    const characters = JSON.stringify(record).length
    while (this.#kept.length > 0 && (this.#kept.length >= records || this.#characters + characters > most)) this.#drop()
    this.#kept.push({ sequence, record, characters })
    this.#characters += characters
  }

  /** The records after one sequence up to another, in order. */
  between(after: number, last: number): readonly Numbered[] {
    const countTo = (most: number): number => this.#kept.findLastIndex(({ sequence }) => sequence <= most) + 1
    return this.#kept.slice(countTo(after), countTo(last))
  }

  #drop(): void {
    const kept = this.#kept.shift()
    if (kept === undefined) return
    this.#characters -= kept.characters
    this.#floor = kept.sequence
    const { kind, slot, service, modules } = kept.record
    const key = `${kind} ${slot} ${service} ${modules?.map((module) => module.slot).join() ?? ''}`
    const dropped = this.#dropped.get(key) ?? { place: { kind, slot, service, modules }, count: 0, last: 0 }
    dropped.count++
    dropped.last = kept.sequence
    this.#dropped.set(key, dropped)
  }
}
