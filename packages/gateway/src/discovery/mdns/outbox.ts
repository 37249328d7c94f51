import type { Clock, Timer } from '@slotwire/core'
import { encodeMessage, fitsOneFrame, responsesOf } from './encode.ts'
import { type ResourceRecord, recordKey, response } from './resource-record.ts'

/** A record is not repeated within this time: whoever asks has just heard it (RFC 6762 section 6). */
const REPEAT_MS = 1000
/** Unless somebody wants to take the name. */
const DEFENCE_REPEAT_MS = 250

/** Answers that are on their way to everybody on one interface: collected, and none too often. */
export class Outbox {
  readonly #send: (bytes: Uint8Array) => Promise<void>
  readonly #clock: Clock
  readonly #sentAt = new Map<string, number>()
  #answers = new Map<string, ResourceRecord>()
  #additionals = new Map<string, ResourceRecord>()
  #timer: Timer | undefined
  #dueAt = Number.POSITIVE_INFINITY

  constructor(send: (bytes: Uint8Array) => Promise<void>, clock: Clock) {
    this.#send = send
    this.#clock = clock
  }

  /** Sends what everybody on the network is to know, now. */
  async tell(records: readonly ResourceRecord[]): Promise<void> {
    const now = this.#clock.now()
    for (const [key, at] of this.#sentAt) if (now - at > REPEAT_MS) this.#sentAt.delete(key)
    for (const record of records) this.#sentAt.set(recordKey(record), now)
    await Promise.all(responsesOf(records).map((message) => this.#send(encodeMessage(message))))
  }

  /** Answers after `delayMs`, or with others before; gives back what everybody has heard just now and is not repeated. */
  answer(
    answers: readonly ResourceRecord[],
    additionals: readonly ResourceRecord[],
    delayMs: number,
    options: { readonly defends?: boolean } = {},
  ): readonly ResourceRecord[] {
    const gapMs = options.defends === true ? DEFENCE_REPEAT_MS : REPEAT_MS
    const isFresh = (record: ResourceRecord): boolean => this.#sinceSent(record) < gapMs
    const due = answers.filter((record) => !isFresh(record))
    if (due.length > 0) {
      for (const record of due) this.#answers.set(recordKey(record), record)
      for (const record of additionals) this.#additionals.set(recordKey(record), record)
      this.#schedule(delayMs)
    }
    return answers.filter(isFresh)
  }

  /** Repeats a record that somebody spoke wrongly of: as soon as it may be. */
  repeat(record: ResourceRecord): void {
    this.#answers.set(recordKey(record), record)
    this.#schedule(Math.max(0, REPEAT_MS - this.#sinceSent(record)))
  }

  close(): void {
    this.#timer?.cancel()
    this.#answers.clear()
  }

  #sinceSent(record: ResourceRecord): number {
    return this.#clock.now() - (this.#sentAt.get(recordKey(record)) ?? Number.NEGATIVE_INFINITY)
  }

  #schedule(delayMs: number): void {
    const dueAt = this.#clock.now() + delayMs
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return
    this.#timer?.cancel()
    this.#dueAt = dueAt
    this.#timer = this.#clock.after(delayMs, () => this.#flush())
  }

  #flush(): void {
    this.#timer = undefined
    const answers = [...this.#answers.values()]
    const additionals = [...this.#additionals.values()].filter((record) => !this.#answers.has(recordKey(record)))
    this.#answers = new Map()
    this.#additionals = new Map()
    for (const record of answers) this.#sentAt.set(recordKey(record), this.#clock.now())
    for (const message of responsesOf(answers)) {
      const whole = response({ answers: message.answers, additionals })
      // What is only handy is left out where there is no room for it.
      void this.#send(encodeMessage(fitsOneFrame(whole) ? whole : message))
    }
  }
}
