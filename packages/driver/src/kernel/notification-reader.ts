import { decodeNotification, SdbpError } from '@slotwire/sdbp'
import { type SparseWarnings, sparseWarnings } from '../slot/sparse-warnings.ts'
import { Errno } from './errno.ts'
import { type KernelContext, KernelFileError, slotsFolder } from './kernel-files.ts'

/** Pause after a read that brought nothing, in milliseconds: without it a reader that fails at once would turn in circles. */
export const NOTIFICATION_PAUSE_MS = 100
/** So many notifications pass as they come; more, and they are read `NOTIFICATION_INTERVAL_MS` apart: a module makes one in 20 ms. */
export const NOTIFICATION_BURST = 100
/** The time between two notifications of a file that has always one, in milliseconds: 200 a second. */
export const NOTIFICATION_INTERVAL_MS = 5
/** So long a blocked read may take to end by itself when its module left or it was asked to, in milliseconds; then by force. */
export const NOTIFICATION_END_MS = 100

/** How much of what makes no sense is said in the log, in characters. */
const LONGEST_QUOTE = 40
/** What comes of the kernel's own accord: the module left, the read was ended, it did not want to now. */
const expected: readonly number[] = [Errno.ENODEV, Errno.EBADSLT, Errno.ENOENT, Errno.ENXIO, Errno.EPIPE, Errno.EAGAIN, Errno.EIO]

const MS_PER_SECOND = 1000

export interface NotificationReaderOptions extends KernelContext {
  readonly slot: number
  /** Resolves when the reader before has ended: it must not take away what a successor has to tell. */
  readonly after: Promise<void>
  readonly onNotification: (payload: Uint8Array) => void
}

/** Waits for the notifications of one module, one blocking read after the other, until it is closed. */
export class NotificationReader {
  readonly #options: NotificationReaderOptions
  readonly #abort = new AbortController()
  readonly #ended: Promise<void>
  readonly #folder: string
  readonly #warnings: SparseWarnings
  #reading = false
  #failing = false
  #senseless = false
  #slowed = false
  /** When everything that came so far would have come, had it kept the interval. */
  #dueMs = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: NotificationReaderOptions) {
    const { clock, log } = options
    this.#options = options
    this.#folder = `${slotsFolder(options)}/slot${options.slot}`
    this.#warnings = sparseWarnings(clock, log)
    this.#ended = this.#run()
  }

  /** Ends the blocked read, by `close_notification` where the kernel has it, else by force. Resolves when nobody reads any more; never rejects. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      if (this.#reading) this.#endRead()
      else this.#abort.abort()
    }
    return this.#ended
  }

  #endRead(): void {
    const { files, clock } = this.#options
    const force = clock.after(NOTIFICATION_END_MS, () => this.#abort.abort())
    void this.#ended.then(() => force.cancel())
    files.write(`${this.#folder}/close_notification`, '\x01').catch(() => {
      // This kernel has it not, or the module is gone: the timer ends it.
    })
  }

  async #run(): Promise<void> {
    await this.#options.after
    while (!this.#closed) {
      const waitMs = await this.#read()
      if (waitMs > 0 && !this.#closed) await this.#pause(waitMs)
    }
  }

  /** How long to wait before the next reading, in milliseconds. Never rejects. */
  async #read(): Promise<number> {
    this.#reading = true
    try {
      const content = await this.#options.files.readOnce(`${this.#folder}/notification`, this.#abort.signal)
      this.#failing = false
      return this.#closed ? 0 : this.#deliver(content)
    } catch (error) {
      this.#onFailure(error)
      return NOTIFICATION_PAUSE_MS
    } finally {
      this.#reading = false
    }
  }

  /** Hands on the responses with something in them; of what makes no sense the last fault is told. */
  #deliver(content: string): number {
    let count = 0
    let fault: string | undefined
    for (const text of textsIn(content)) {
      try {
        const payload = payloadOf(text)
        if (decodeNotification(payload) === undefined) continue
        this.#options.onNotification(payload)
        count++
      } catch (error) {
        if (!(error instanceof SdbpError)) throw error
        fault = error.message
      }
    }
    if (fault !== undefined) this.#onNonsense(content, fault)
    else if (count > 0) this.#senseless = false
    return count === 0 ? NOTIFICATION_PAUSE_MS : this.#slowDown(count)
  }

  /** Lets bursts pass and slows down what does not end: how long to wait for more, in milliseconds. */
  #slowDown(count: number): number {
    const { slot, clock } = this.#options
    const nowMs = clock.now()
    if (this.#dueMs <= nowMs) this.#slowed = false
    this.#dueMs = Math.max(this.#dueMs, nowMs) + count * NOTIFICATION_INTERVAL_MS
    const waitMs = Math.max(0, this.#dueMs - NOTIFICATION_BURST * NOTIFICATION_INTERVAL_MS - nowMs)
    if (waitMs > 0 && !this.#slowed) {
      this.#slowed = true
      const perSecond = MS_PER_SECOND / NOTIFICATION_INTERVAL_MS
      this.#warnings.warn({ slot, perSecond }, 'notifications do not stop coming, they are read more slowly')
    }
    return waitMs
  }

  #onNonsense(content: string, reason: string): void {
    if (this.#senseless) return
    this.#senseless = true
    const fields = { slot: this.#options.slot, reason, read: content.slice(0, LONGEST_QUOTE) }
    this.#warnings.warn(fields, 'a notification makes no sense and is left out')
  }

  #onFailure(error: unknown): void {
    if (this.#closed || this.#failing) return
    if (error instanceof KernelFileError && expected.includes(error.errno)) return
    this.#failing = true
    const { slot, log } = this.#options
    const reason = error instanceof Error ? error.message : String(error)
    const busy = error instanceof KernelFileError && error.errno === Errno.EBUSY
    log.warn(
      { slot, reason },
      busy ? 'another program reads the notifications of this slot: end it' : 'notifications cannot be read',
    )
  }

  async #pause(waitMs: number): Promise<void> {
    try {
      await this.#options.clock.sleep(waitMs, this.#abort.signal)
    } catch {
      // It was closed meanwhile.
    }
  }
}

const NOTIFICATION = /^0x((?:[0-9A-Fa-f]{2})+)$/

/** The responses, each with a NUL behind it (wire-protocol.md section 3); NULs alone make no sense, and are one text. */
function textsIn(content: string): string[] {
  const texts = content.split('\0').filter((text) => text !== '')
  return texts.length === 0 && content !== '' ? [content] : texts
}

function payloadOf(text: string): Uint8Array {
  const digits = NOTIFICATION.exec(text.trim())?.[1]
  if (digits === undefined) throw new SdbpError('truncated', 'what was read is not 0x and the digits of a response')
  return Uint8Array.from(Buffer.from(digits, 'hex'))
}
