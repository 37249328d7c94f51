import { type Clock, type Log, messageOf, type Timer } from '@slotwire/core'

/** A record of the device's journal, as docs/guide/events.md has it: `{ id, at, kind, slot?, … }`; or a gap, with what it follows. */
export type DeviceRecord = Readonly<Record<string, unknown>> & { readonly kind: string }

/** Most records that wait for the broker. With more, they stay in the device: its journal is the queue. */
const MAX_WAITING = 1000
/** Pause after the broker refused a record, in milliseconds. */
const REFUSED_MS = 5000
/** The position is stored at most so often, in milliseconds. What is delivered twice after a kill is at most as old. */
const STORE_EVERY_MS = 1000

export interface RecordQueueOptions {
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the broker has the record. */
  readonly publish: (record: DeviceRecord) => Promise<void>
  /** Keeps the id of the last record that the broker has. */
  store(position: string): Promise<void>
  /** All that waited is delivered, but more came than can wait here: read it again after `position`. */
  onOverflow(): void
}

/** The records of one device on their way to the broker, in their order. Its position is the id up to which the broker has all of them. */
export class RecordQueue {
  readonly #waiting: (DeviceRecord | { readonly position: string })[] = []
  readonly #end = new AbortController()
  #position: string
  #stored: string
  #isRunning = false
  #isFull = false
  #storeAt = 0
  #storing: Timer | undefined

  constructor(
    position: string,
    private readonly options: RecordQueueOptions,
  ) {
    this.#position = position
    this.#stored = position
  }

  /** The id of the last record that the broker has; empty: of none. */
  get position(): string {
    return this.#position
  }

  /** Takes a record, or a position in which nothing is left to deliver. */
  add(entry: DeviceRecord | { readonly position: string }): void {
    if (this.#end.signal.aborted || this.#isFull) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#isFull = true
      return
    }
    this.#waiting.push(entry)
    if (!this.#isRunning) void this.#run()
  }

  /** Nothing more is published. What waits is still in the device. */
  stop(): void {
    this.#end.abort()
    this.#storing?.cancel()
    this.#waiting.length = 0
  }

  /** Stores the position now. */
  async flush(): Promise<void> {
    if (this.#position === this.#stored || this.#position === '') return
    const position = this.#position
    await this.options.store(position)
    this.#stored = position
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    const { clock } = this.options
    const { signal } = this.#end
    for (let entry = this.#waiting[0]; entry !== undefined && !signal.aborted; entry = this.#waiting[0]) {
      if ('kind' in entry) {
        if (!(await this.#publish(entry)) || signal.aborted) continue
        // A gap has no id: the records after it have one.
        if (typeof entry['id'] === 'string') this.#position = entry['id']
      } else this.#position = entry.position
      this.#waiting.shift()
      if (clock.now() >= this.#storeAt) await this.#storeSoon()
    }
    this.#isRunning = false
    if (!this.#isFull || signal.aborted) return
    this.stop()
    this.options.onOverflow()
  }

  async #publish(record: DeviceRecord): Promise<boolean> {
    const { clock, log, publish } = this.options
    try {
      await publish(record)
      return true
    } catch (error) {
      const { signal } = this.#end
      if (signal.aborted) return false
      log.warn({ reason: messageOf(error) }, 'the broker did not take a record: it stays in the device, and is sent again')
      await clock.sleep(REFUSED_MS, signal).catch(() => undefined)
      return false
    }
  }

  /** At once, or at the end of the present interval. */
  #storeSoon(): Promise<void> {
    const { clock, log } = this.options
    this.#storeAt = clock.now() + STORE_EVERY_MS
    this.#storing = clock.after(STORE_EVERY_MS, () => void this.flush().catch(() => undefined))
    return this.flush().catch((error: unknown) => log.debug({ reason: messageOf(error) }, 'a position is not stored yet'))
  }
}
