import { type Clock, isoTime, Listeners, type Log, type WallTime } from '@slotwire/core'
import { formatPosition, type Position } from './position.ts'
import type { JournalRecord, NewRecord, RecordKind } from './record.ts'

/** Most records in memory. */
const MOST_RECORDS = 10_000

export interface JournalOptions {
  /** Number of this start of the process, from 1. */
  readonly boot: number
  /** Monotonic real time. */
  readonly clock: Clock
  readonly wallTime: WallTime
  /** Time of the twin; undefined on a device. */
  readonly twinTime?: Clock | undefined
  readonly log: Log
}

/** The numbered records of everything that happens. The newest stay in memory. */
export class Journal {
  readonly #options: JournalOptions
  readonly #startedMs: number
  readonly #listeners: Listeners<JournalRecord>
  readonly #records: JournalRecord[] = []
  readonly #counts = new Map<RecordKind, number>()
  #sequence = 0

  constructor(options: JournalOptions) {
    this.#options = options
    this.#startedMs = options.clock.now()
    this.#listeners = new Listeners((err) => options.log.error({ err }, 'a reader of the journal failed'))
  }

  /** Position of the last record. */
  get last(): Position {
    return { boot: this.#options.boot, sequence: this.#sequence }
  }

  /** Numbers a record, keeps it, and calls the subscribers before it returns. */
  add({ kind, ...fields }: NewRecord): JournalRecord {
    const { boot, clock, wallTime, twinTime } = this.#options
    const record: JournalRecord = {
      id: formatPosition({ boot, sequence: ++this.#sequence }),
      at: isoTime(wallTime()),
      up_ms: Math.round(clock.now() - this.#startedMs),
      ...(twinTime === undefined ? {} : { twin_ms: Math.round(twinTime.now()) }),
      kind,
      ...fields,
    }
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    this.#records.push(record)
    if (this.#records.length > MOST_RECORDS) this.#records.shift()
    this.#listeners.emit(record)
    return record
  }

  /** The records in memory after a position that `wants` accepts, oldest first; `gap`: what is no longer there. */
  read(
    after: Position,
    wants: (record: JournalRecord) => boolean,
  ): {
    readonly records: readonly JournalRecord[]
    readonly gap?: { readonly from: string; readonly to: string; readonly missing: number }
  } {
    const { boot, sequence: last } = this.last
    const from = after.boot === boot && after.sequence <= last ? after.sequence + 1 : 1
    const oldest = last - this.#records.length + 1
    const records = this.#records.slice(Math.max(0, from - oldest)).filter(wants)
    if (from >= oldest) return { records }
    const [first, end] = [from, oldest - 1].map((sequence) => formatPosition({ boot, sequence }))
    return { records, gap: { from: first ?? '', to: end ?? '', missing: oldest - from } }
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
}
