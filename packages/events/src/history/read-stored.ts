import { comparePositions, type Position, parsePosition } from '@slotwire/contract'
import { type GapTally } from '../query.ts'
import type { JournalRecord, RecordFilter, RecordKind } from '../record.ts'
import { parseLine, type StoredLine, storedKinds } from './stored-line.ts'

/** Most blocks of lines that are read at once: some milliseconds. */
const MAX_BLOCKS = 4

/** A position to read after. */
export interface ReadPosition extends Position {
  /** Of a position that a call returned: where the reader began. */
  readonly from?: Position
  /** Of a position that a call returned: how many records of its boot were read, or known to be lost. */
  readonly seen?: number
}

export interface StoredPage {
  readonly records: readonly JournalRecord[]
  /** Everything up to here was read. */
  readonly next: ReadPosition
}

/** What a reader wants. */
export interface RecordSelection {
  readonly wants: RecordFilter
  /** The kinds among those that it wants. */
  readonly kinds: readonly RecordKind[]
}

/**
 * The stored records after one position up to another. `blocks` begin at or before the first. Only the first of them, if they are many:
 * then `next` is before `until`. Losses go to the tally.
 */
export function readStored(
  blocks: Iterable<readonly string[]>,
  { after, until }: { readonly after: ReadPosition; readonly until: Position },
  selection: RecordSelection,
  tally: GapTally,
): StoredPage {
  const reader = new StoredReader(after, selection, tally)
  let count = 0
  for (const lines of blocks) {
    for (const text of lines) {
      const line = parseLine(text)
      // A boot that was never: the line is damaged.
      if (line === undefined || line.position.boot > until.boot) continue
      if (comparePositions(line.position, until) > 0) return reader.pageTo(until)
      reader.take(line)
    }
    if (++count >= MAX_BLOCKS && reader.hasMoved) return reader.page()
  }
  return reader.pageTo(until)
}

class StoredReader {
  readonly #records: JournalRecord[] = []
  #at: Position
  #seen: number
  /** Whether a line at or before the beginning is there: then those after it are, too. */
  #isCovered = false
  /** Whether the last line is the mark of an end in order. */
  #hasEnded = false

  constructor(
    private readonly after: ReadPosition,
    private readonly selection: RecordSelection,
    private readonly tally: GapTally,
  ) {
    this.#at = after
    this.#seen = after.seen ?? 0
  }

  get hasMoved(): boolean {
    return comparePositions(this.#at, this.after) > 0
  }

  take({ position, record, mark, records = 0 }: StoredLine): void {
    // Never goes back, whatever the files hold.
    if (comparePositions(position, this.#at) < 0 && this.hasMoved) return
    if (comparePositions(position, this.after) > 0) {
      if (position.boot !== this.#at.boot) this.#beginBoot(position.boot)
      else if (!this.#isCovered) this.#lose(position, position.sequence - this.#at.sequence)
      else if (mark === 'lost') this.#lose(position, records)
      if (mark === 'lost') this.#seen += records
      if (record !== undefined) this.#add(record)
      this.#at = position
    }
    this.#isCovered = position.boot === this.#at.boot
    this.#hasEnded = mark === 'end'
  }

  page(): StoredPage {
    const { from = this.after } = this.after
    const { boot, sequence } = this.#at
    return { records: this.#records, next: { boot, sequence, from, seen: this.#seen } }
  }

  pageTo(until: Position): StoredPage {
    if (until.boot !== this.#at.boot) this.#beginBoot(until.boot)
    this.#at = until
    return this.page()
  }

  #add(record: JournalRecord): void {
    const { count, first } = record
    const begin = typeof first === 'string' ? parsePosition(first) : undefined
    // A reader that begins within a line has seen an unknown part of it.
    const isPart = begin !== undefined && comparePositions(begin, this.after.from ?? this.after) <= 0
    this.#seen += typeof count === 'number' && !isPart ? count : 1
    if (this.selection.wants(record)) this.#records.push(record)
  }

  #lose(position: Position, records: number): void {
    if (this.selection.kinds.some((kind) => storedKinds.has(kind))) this.tally.add(position, records)
  }

  /** Lines of another start of the process follow. Kinds that are not stored end with theirs. */
  #beginBoot(next: number): void {
    const { from = this.after } = this.after
    const { boot, sequence } = this.#at
    const unseen = sequence - (from.boot === boot ? from.sequence : 0) - this.#seen
    const isWhole = this.#isCovered && this.#hasEnded && next === boot + 1
    const wantsOthers = this.selection.kinds.some((kind) => !storedKinds.has(kind))
    if (!isWhole) this.tally.add({ boot: next, sequence: 0 }, null)
    else if (wantsOthers && unseen > 0) this.tally.add({ boot: next, sequence: 0 }, unseen)
    this.#seen = 0
  }
}
