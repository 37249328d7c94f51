import type { ServerResponse } from 'node:http'
import { comparePositions, formatPosition, type Position, parsePosition } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { Journal, JournalPage } from '../journal.ts'
import { type EndReason, endOf, eventText, gapOf, helloOf, recordText } from './broadcast.ts'
import type { StreamFilter } from './stream-query.ts'

/** Most bytes that wait in one connection. A reader that is further behind gets the rest from the journal, as it reads. */
export const BUFFER_BYTES = 65_536
/** After so long without a message an empty one is sent, in milliseconds. */
export const QUIET_MS = 15_000
/** A connection that takes nothing for so long is closed, in milliseconds. */
export const STALLED_MS = 30_000
/** Time for the last message to be taken, in milliseconds. */
const FAREWELL_MS = 1000
/** Browsers connect again after so long if another of their streams replaced this one, in milliseconds. */
const REPLACED_RETRY_MS = 60_000

export interface StreamReaderOptions {
  readonly response: ServerResponse
  readonly journal: Pick<Journal, 'read' | 'last'>
  readonly filter: StreamFilter
  /** The client's last record; undefined: none, and a text if it is not a position. */
  readonly after: Position | string | undefined
  readonly clock: Clock
  readonly state: () => object
  /** Calls `read` later, when the journal's last record has been given to all subscribers. */
  readonly readInTurn: (read: () => void) => void
  readonly onGap: () => void
  readonly onStalled: () => void
}

/** One subscriber: an answer in Server-Sent Events. Keeps no records: one that is behind has only its position in the journal. */
export class StreamReader {
  #position: JournalPage['next']
  /** Whether new records are not written, because the connection has not taken earlier ones. */
  #isBehind = true
  #owesHello: boolean
  /** Whether its turn to read the journal will come. */
  #isQueued = false
  /** End of the gap that was reported last. */
  #reportedGap = ''
  /** Writes that the connection has not taken. */
  #outstanding = 0
  /** When the connection took something last, or got the first of the outstanding writes. */
  #takenMs: number
  #writtenMs: number

  constructor(private readonly options: StreamReaderOptions) {
    const { after, clock, journal } = options
    this.#position = typeof after === 'object' ? after : journal.last
    this.#owesHello = typeof after !== 'object'
    this.#takenMs = clock.now()
    this.#writtenMs = this.#takenMs
  }

  /** Sends what comes before new records. Call it when the journal's last record has been given to all subscribers. */
  start(): void {
    const { after, journal, onGap } = this.options
    if (typeof after === 'object') return this.#queue()
    if (typeof after === 'string') {
      const to = formatPosition(journal.last)
      onGap()
      this.#write(eventText(to, gapOf({ from: null, to, missing: null })))
    }
    this.#catchUp()
  }

  /** For `Broadcast`. */
  take(messages: Buffer, last: Position): void {
    if (this.#isBehind) return
    if (this.options.response.writableLength + messages.length > BUFFER_BYTES) {
      this.#isBehind = true
      this.#queue()
      return
    }
    this.#position = last
    this.#write(messages)
  }

  /** Sends a message that is no record, unless the reader is behind: then returns false. */
  send(message: object): boolean {
    if (this.#isBehind || this.options.response.writableLength > BUFFER_BYTES) return false
    this.#write(eventText(formatPosition(this.#position), message))
    return true
  }

  /** Call this twice a second: sends an empty message after a pause, and closes a connection that takes nothing. */
  check(): void {
    const { clock, journal, response, onStalled } = this.options
    const now = clock.now()
    if (this.#outstanding > 0 && now - this.#takenMs >= STALLED_MS) {
      onStalled()
      response.destroy()
    } else if (!this.#isBehind && (now - this.#writtenMs >= QUIET_MS || response.req.socket.readableEnded)) {
      // A client that has ended its side may still read. If it is gone, the second write fails.
      this.#position = journal.last
      this.#write(`id: ${formatPosition(this.#position)}\n\n`)
    }
  }

  /** Ends the stream with a message that says why. The connection stays open for other requests if the client reads it. */
  end(reason: EndReason): void {
    const { response, clock } = this.options
    const retry = reason === 'replaced' ? `retry: ${REPLACED_RETRY_MS}\n` : ''
    response.end(retry + eventText(formatPosition(this.#position), endOf(reason)))
    this.#isBehind = true
    const limit = clock.after(FAREWELL_MS, () => response.destroy())
    response.once('close', () => limit.cancel())
  }

  #queue(): void {
    if (this.#isQueued) return
    this.#isQueued = true
    this.options.readInTurn(() => {
      this.#isQueued = false
      this.#catchUp()
    })
  }

  /** Writes records from the journal until the connection has enough, or the reader is up to date. */
  #catchUp(): void {
    const { response, journal, filter, state, onGap } = this.options
    if (response.writableEnded || response.destroyed || this.#outstanding > 0) return
    const { records, gap, next } = journal.read(this.#position, filter.wants, filter.kinds)
    let text = ''
    if (gap !== undefined && gap.to !== this.#reportedGap) {
      // With the id of the last record before it: if the connection breaks here, the next one reports the gap again.
      const id = comparePositions(this.#position, journal.last) > 0 ? gap.to : formatPosition(this.#position)
      text += eventText(id, gapOf(gap))
      this.#reportedGap = gap.to
      this.#owesHello = true
      onGap()
    }
    let count = 0
    while (count < records.length && text.length < BUFFER_BYTES)
      text += recordText(filter.seen(records[count++] as (typeof records)[number]))
    const isDone = count === records.length
    this.#position = (isDone ? undefined : parsePosition(records[count - 1]?.id ?? '')) ?? next
    // A part of what is on the disk may have nothing for this filter.
    if (isDone && text === '' && comparePositions(next, journal.last) < 0) this.#queue()
    if (isDone && comparePositions(next, journal.last) === 0) {
      this.#isBehind = false
      if (this.#owesHello) text += eventText(formatPosition(next), helloOf(journal.last, state()))
      this.#owesHello = false
    }
    if (text !== '') this.#write(text)
  }

  #write(text: string | Buffer): void {
    const { response, clock } = this.options
    this.#writtenMs = clock.now()
    if (this.#outstanding === 0) this.#takenMs = this.#writtenMs
    this.#outstanding++
    response.write(text, () => {
      this.#outstanding--
      this.#takenMs = clock.now()
      if (this.#isBehind) this.#queue()
    })
  }
}
