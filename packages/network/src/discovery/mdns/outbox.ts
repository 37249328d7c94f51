import type { Clock, Timer } from '@slotwire/core'
import {
  type DnsMessage,
  encodeMessage,
  fitsOneFrame,
  inFrames,
  type ResourceRecord,
  recordKey,
  response,
} from './dns-message.ts'

/** A record is not repeated within this time: the client has just received it (RFC 6762 section 6). */
const REPEAT_MS = 1000
/** Shorter while another host probes for the name. */
const DEFENCE_REPEAT_MS = 250

/** Collects pending multicast responses of one interface and limits their rate. */
export class Outbox {
  readonly #sentAt = new Map<string, number>()
  readonly #answers = new Map<string, ResourceRecord>()
  readonly #additionals = new Map<string, ResourceRecord>()
  #timer: Timer | undefined
  #dueAt = Number.POSITIVE_INFINITY

  constructor(
    private readonly send: (bytes: Buffer) => Promise<void>,
    private readonly clock: Clock,
  ) {}

  /** Multicasts records at once, with as many additionals as fit. */
  async sendNow(records: readonly ResourceRecord[], additionals: readonly ResourceRecord[] = []): Promise<void> {
    const now = this.clock.now()
    for (const [key, at] of this.#sentAt) if (now - at > REPEAT_MS) this.#sentAt.delete(key)
    for (const record of records) this.#sentAt.set(recordKey(record), now)
    const messages = inFrames(records, (answers) => response({ answers }))
    await Promise.all(messages.map((message) => this.send(encodeMessage(additionals.reduce(withAdditional, message)))))
  }

  /** Sends after `delayMs`, or earlier with other responses. Returns the records that were sent just now and are not repeated. */
  answer(
    answers: readonly ResourceRecord[],
    additionals: readonly ResourceRecord[],
    delayMs: number,
    options: { readonly defends: boolean },
  ): readonly ResourceRecord[] {
    const gapMs = options.defends ? DEFENCE_REPEAT_MS : REPEAT_MS
    const isFresh = (record: ResourceRecord): boolean => this.#sinceSent(record) < gapMs
    const due = answers.filter((record) => !isFresh(record))
    if (due.length > 0) {
      for (const record of due) this.#answers.set(recordKey(record), record)
      for (const record of additionals) this.#additionals.set(recordKey(record), record)
      this.#schedule(delayMs)
    }
    return answers.filter(isFresh)
  }

  /** Repeats a record as soon as allowed, after another host sent a wrong version of it. */
  repeat(record: ResourceRecord): void {
    this.#answers.set(recordKey(record), record)
    this.#schedule(Math.max(0, REPEAT_MS - this.#sinceSent(record)))
  }

  close(): void {
    this.#timer?.cancel()
    this.#answers.clear()
  }

  #sinceSent(record: ResourceRecord): number {
    return this.clock.now() - (this.#sentAt.get(recordKey(record)) ?? Number.NEGATIVE_INFINITY)
  }

  #schedule(delayMs: number): void {
    const dueAt = this.clock.now() + delayMs
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return
    this.#timer?.cancel()
    this.#dueAt = dueAt
    this.#timer = this.clock.after(delayMs, () => this.#flush())
  }

  #flush(): void {
    this.#timer = undefined
    const additionals = [...this.#additionals].flatMap(([key, record]) => (this.#answers.has(key) ? [] : [record]))
    const answers = [...this.#answers.values()]
    this.#answers.clear()
    this.#additionals.clear()
    void this.sendNow(answers, additionals)
  }
}

function withAdditional(message: DnsMessage, record: ResourceRecord): DnsMessage {
  const larger = { ...message, additionals: [...message.additionals, record] }
  return fitsOneFrame(larger) ? larger : message
}
