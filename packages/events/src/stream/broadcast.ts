import { formatPosition, type Position, parsePosition } from '@slotwire/contract'
import { type Clock, nextTurn, type Timer } from '@slotwire/core'
import type { Journal } from '../journal.ts'
import { type Gap } from '../query.ts'
import type { JournalRecord } from '../record.ts'
import type { StreamFilter } from './stream-query.ts'

/** Longest time that a record waits for others, in milliseconds. */
const MAX_BATCH_MS = 20
/** A batch costs a write for each subscriber: with more of them, more records share it. */
const BATCH_MS_PER_SUBSCRIBER = 0.5

/** Called with the messages of new records: all that the filter wants, in order. `last`: the position that they lead to. */
export type Take = (messages: Buffer, last: Position) => void

/** Gives new records to subscribers in batches. Subscribers with the same filter share the bytes. The first record after a pause goes out at once. */
export class Broadcast {
  readonly #groups = new Map<string, { readonly filter: StreamFilter; readonly takers: Set<Take> }>()
  #pending: JournalRecord[] = []
  #subscribers = 0
  #sentMs = Number.NEGATIVE_INFINITY
  #isDue = false
  #timer: Timer | undefined
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly journal: Pick<Journal, 'subscribe'>,
    private readonly clock: Clock,
  ) {}

  /** Calls `take` with records that are added from now on, until the returned function is called. */
  subscribe(filter: StreamFilter, take: Take): () => void {
    this.flush()
    const group = this.#groups.get(filter.key) ?? { filter, takers: new Set() }
    this.#groups.set(filter.key, group)
    group.takers.add(take)
    this.#subscribers++
    // The journal has subscribers only while there are readers.
    this.#unsubscribe ??= this.journal.subscribe((record) => this.#add(record))
    return () => {
      if (!group.takers.delete(take)) return
      this.#subscribers--
      if (group.takers.size === 0) this.#groups.delete(filter.key)
      if (this.#subscribers > 0) return
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
      this.#pending = []
      this.#timer?.cancel()
      this.#isDue = false
    }
  }

  /** Sends what waits. After this every subscriber is up to date with the journal. */
  flush(): void {
    const records = this.#pending
    const last = parsePosition(records.at(-1)?.id ?? '')
    if (last === undefined) return
    this.#pending = []
    this.#timer?.cancel()
    this.#isDue = false
    this.#sentMs = this.clock.now()
    const texts = new Map<JournalRecord, string>()
    const textOf = (record: JournalRecord): string => {
      const text = texts.get(record) ?? recordText(record)
      texts.set(record, text)
      return text
    }
    for (const { filter, takers } of [...this.#groups.values()]) {
      const messages = records.filter(filter.wants).map(filter.seen).map(textOf).join('')
      if (messages === '') continue
      const bytes = Buffer.from(messages)
      for (const take of [...takers]) take(bytes, last)
    }
  }

  #add(record: JournalRecord): void {
    this.#pending.push(record)
    if (this.#isDue) return
    this.#isDue = true
    const batchMs = Math.min(MAX_BATCH_MS, this.#subscribers * BATCH_MS_PER_SUBSCRIBER)
    const waitMs = this.#sentMs + batchMs - this.clock.now()
    if (waitMs > 0) this.#timer = this.clock.after(waitMs, () => this.flush())
    else void nextTurn().then(() => this.flush())
  }
}

/** Why the server ends a stream, for its last message. */
const ends = {
  replaced: 'this caller opened another stream, and this was its oldest: share streams, or use another token',
  revoked: 'the access token was revoked or changed, or has expired',
  stopping: 'the service is stopping',
} as const

export type EndReason = keyof typeof ends

/**
 * One message of the stream. Messages have no `event:` name, so that `onmessage` of a browser gets all of them: the JSON has a `kind`.
 * JSON text has no line breaks.
 */
export function eventText(id: string, message: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`
}

export function recordText(record: JournalRecord): string {
  return eventText(record.id, record)
}

export function helloOf(last: Position, state: object): object {
  return { kind: 'hello', boot: last.boot, last: formatPosition(last), state }
}

/** What a reader cannot get. `from` and `missing` are null for a text that is no position. */
export function gapOf({ from, to, missing }: Omit<Gap, 'from'> & { readonly from: string | null }): object {
  return { kind: 'gap', from, to, missing }
}

export function endOf(reason: EndReason): object {
  return { kind: 'end', reason, message: ends[reason] }
}
