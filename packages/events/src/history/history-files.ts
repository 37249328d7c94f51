import { dirname, join } from 'node:path'
import { comparePositions, type Position, parsePosition } from '@slotwire/contract'
import { type Clock, codeOf, type Log, messageOf, type Timer } from '@slotwire/core'
import { RotatedLines, type WriteGuard } from '@slotwire/storage'
import type { JournalRecord } from '../record.ts'
import { lastPosition, lineBlocks } from './line-blocks.ts'
import { isDamaged, markLine, storedKinds } from './stored-line.ts'

/** Largest file in bytes; there are two. */
export const FILE_BYTES = 4_194_304
/** A record waits for the disk for so long, together with those that follow it: a kill loses less than a second. */
export const FLUSH_MS = 900
/** While the disk cannot be written: the interval of the attempts. */
const RETRY_MS = 10_000
/** Most lines that wait for the disk, and the longest of them in characters: one batch fits in a file. A longer record is lost. */
const MAX_WAITING = 1_000
const MAX_LINE_CHARACTERS = 4_096
/** Batches whose ends are remembered: as many as there can be records in memory. */
const MAX_BATCHES = 10_000

export interface HistoryFilesOptions {
  /** The state folder. */
  readonly folder: string
  /** Number of this start of the process: higher than that of every record on the disk. */
  readonly boot: number
  /** Monotonic real time. */
  readonly clock: Clock
  readonly log: Log
  /** Around every change of the files. */
  readonly guard?: WriteGuard
}

/** A line that waits for the disk. */
interface WaitingLine {
  readonly record: JournalRecord
  readonly position: Position
  /** Records in this line, and the id of the first. */
  readonly count: number
  readonly first: string
}

/** The boot number of the last record on the disk; 0 without one. */
export function lastStoredBoot(stateFolder: string): number {
  return lastPosition(filesIn(stateFolder).paths)?.boot ?? 0
}

function filesIn(stateFolder: string): RotatedLines {
  return new RotatedLines({
    ...{ folder: join(stateFolder, 'history'), name: 'events' },
    ...{ fileBytes: FILE_BYTES, files: 2, writers: 'one' },
  })
}

/**
 * Two files of JSON lines in the state folder with the newest stored records. Lines are written about once a second, and none at rest. They
 * are not synchronized: after a power failure more may be lost, but no line is ever half read.
 */
export class HistoryFiles {
  readonly #files: RotatedLines
  /** By what their records have in common, in the order of their positions. */
  readonly #waiting = new Map<string, WaitingLine>()
  /** Records that were not written since the last batch. */
  #dropped: { readonly count: number; readonly last: Position } | undefined
  /** Sequences of the ends of batches: no line has records of two batches. */
  #batches: number[] = []
  /** The last position on the disk. */
  #written: Position
  #hasBegun = false
  #isClosed = false
  /** Whether a line could not be read. */
  #isDamaged = false
  #lost = 0
  #failure: string | undefined
  #timer: Timer | undefined

  constructor(private readonly options: HistoryFilesOptions) {
    this.#files = filesIn(options.folder)
    this.#written = { boot: options.boot, sequence: 0 }
  }

  /** A sentence for operators if a record could not be stored since the start, or now. */
  get warnings(): readonly string[] {
    const damage = this.#isDamaged ? ['history: its files are damaged: what cannot be read is left out'] : []
    if (this.#lost === 0 && this.#failure === undefined) return damage
    return [
      ...damage,
      `history: ${this.#lost} records not stored since the start (${this.#failure ?? 'the disk can be written again'})`,
    ]
  }

  /** Keeps a record if its kind is stored. Never throws. */
  add(record: JournalRecord): void {
    const position = parsePosition(record.id)
    if (position === undefined || !storedKinds.has(record.kind) || this.#isClosed) return
    const key = keyOf(record)
    const before = this.#waiting.get(key)
    const joined = before === undefined ? record : withListsOf(record, before.record)
    if (JSON.stringify(joined).length > MAX_LINE_CHARACTERS) this.#drop(1, position)
    else {
      const { count, first } = before ?? { count: 0, first: record.id }
      // Its line moves to the end: lines are in the order of their positions.
      this.#waiting.delete(key)
      this.#waiting.set(key, { record: joined, position, count: count + 1, first })
    }
    const [oldest] = this.#waiting
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) {
      this.#waiting.delete(oldest[0])
      this.#drop(oldest[1].count, oldest[1].position)
    }
    this.#timer ??= this.options.clock.after(FLUSH_MS, () => this.#flush())
  }

  /**
   * The lines in blocks, those that wait included, from a block that begins at or before the position, if there is one. If they are read
   * over several turns of the event loop, what comes meanwhile may be left out.
   */
  *lines(after?: Position): Generator<readonly string[]> {
    const written = this.#written
    for (const lines of lineBlocks(this.#files.paths, after)) {
      if (!this.#isDamaged && lines.some(isDamaged)) this.#noteDamage()
      yield lines
    }
    if (written === this.#written) yield this.#waitingLines().map(({ text }) => text)
  }

  #noteDamage(): void {
    this.#isDamaged = true
    this.options.log.warn({ folder: dirname(this.#files.path) }, 'the history is damaged: what cannot be read is left out')
  }

  /** The end of the batch with this sequence of the present boot. */
  endOfBatch(sequence: number): number {
    const waiting = [...this.#waiting.values()].at(-1)?.position.sequence ?? 0
    return this.#batches.find((end) => end >= sequence) ?? Math.max(sequence, waiting)
  }

  /** Writes what waits, and that the process ended in order. `last` is the position of the last record of any kind. */
  close(last: Position): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#flush({ position: last, text: markLine('end', last) })
  }

  #drop(count: number, last: Position): void {
    this.#lost += count
    this.#dropped = { count: (this.#dropped?.count ?? 0) + count, last }
  }

  #waitingLines(): readonly Line[] {
    const begin = { boot: this.options.boot, sequence: 0 }
    const lines: Line[] = [...this.#waiting.values()].map(({ record, position, count, first }) => ({
      position,
      text: JSON.stringify(count === 1 ? record : { ...record, count, first }),
    }))
    const dropped = this.#dropped
    if (dropped !== undefined) lines.push({ position: dropped.last, text: markLine('lost', dropped.last, dropped.count) })
    if (!this.#hasBegun) lines.push({ position: begin, text: markLine('begin', begin) })
    return lines.sort((a, b) => comparePositions(a.position, b.position))
  }

  #flush(...end: readonly Line[]): void {
    const { clock, log, guard = (write) => write() } = this.options
    this.#timer = undefined
    const lines = [...this.#waitingLines(), ...end]
    try {
      const begin = this.#hasBegun ? `${markLine('begin', this.#written)}\n` : ''
      guard(() => this.#files.append(lines.map(({ text }) => `${text}\n`).join(''), begin))
    } catch (error) {
      if (this.#failure === undefined) log.error({ err: error, file: this.#files.path }, 'the history cannot be written')
      this.#failure = codeOf(error) ?? messageOf(error)
      if (!this.#isClosed) this.#timer = clock.after(RETRY_MS, () => this.#flush())
      return
    }
    this.#failure = undefined
    this.#waiting.clear()
    this.#dropped = undefined
    this.#hasBegun = true
    this.#written = lines.at(-1)?.position ?? this.#written
    this.#batches.push(this.#written.sequence)
    if (this.#batches.length > MAX_BATCHES * 2) this.#batches = this.#batches.slice(-MAX_BATCHES)
  }
}

interface Line {
  readonly position: Position
  readonly text: string
}

/** Fields that differ in each record. */
const OWN_FIELDS = new Set(['id', 'at', 'up_ms', 'twin_ms'])

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Alerts that differ only in number, time and lists become one line. */
function keyOf(record: JournalRecord): string {
  if (record.kind !== 'alert') return record.id
  let key = ''
  for (const [name, value] of Object.entries(record)) {
    if (!OWN_FIELDS.has(name) && !isList(value)) key += `${name} ${JSON.stringify(value)}\n`
  }
  return key
}

/** The record, with the items of all lists of both. */
function withListsOf(record: JournalRecord, before: JournalRecord): JournalRecord {
  const joined: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const earlier = before[name]
    if (isList(value) && isList(earlier)) joined[name] = [...new Set([...earlier, ...value])]
  }
  return { ...record, ...joined }
}
