import { messageOf, type Timer } from '@slotwire/core'
import { decodeNotification, SdbpError } from '@slotwire/sdbp'
import { type LimitedWarnings, limitWarnings, merged } from '../slot/notification-log.ts'
import { Errno, type KernelContext, KernelFileError, slotsFolder } from './kernel-files.ts'

/** Pause after reads that failed, in milliseconds. It prevents a busy loop when reads fail at once. */
export const NOTIFICATION_PAUSE_MS = 100
/** So many notifications are delivered without delay. A module makes one in 20 ms. */
export const NOTIFICATION_BURST = 100
/** Time between two deliveries from a file that always has a notification, in milliseconds. Those that are read meanwhile are merged. */
export const NOTIFICATION_INTERVAL_MS = 5
/** Longest wait for a blocked read to end when its module left or close was requested, in milliseconds. Then it is ended by force. */
export const NOTIFICATION_END_MS = 100

/** Longest part of a malformed notification in the log, in characters. */
const MAX_QUOTE_CHARACTERS = 40
/** Normal errors from the kernel: the module left, the read was ended, or it must be tried again. */
const expected: readonly number[] = [Errno.ENODEV, Errno.EBADSLT, Errno.ENOENT, Errno.ENXIO, Errno.EPIPE, Errno.EAGAIN, Errno.EIO]

const MS_PER_SECOND = 1000

export interface NotificationReaderOptions extends KernelContext {
  readonly slot: number
  /** Resolves when the previous reader has ended: it must not take notifications of its successor. */
  readonly after: Promise<void>
  readonly onNotification: (payload: Uint8Array) => void
}

/** Reads the notifications of one module at once and always, until it is closed. Limits only how often they are delivered. */
export class NotificationReader {
  readonly #abort = new AbortController()
  readonly #ended: Promise<void>
  readonly #folder: string
  readonly #warnings: LimitedWarnings
  #reading = false
  #failing = false
  #failedBefore = false
  #senseless = false
  #isSlowed = false
  /** When all notifications so far would have come at the allowed rate. */
  #dueMs = Number.NEGATIVE_INFINITY
  /** Waits for its delivery. */
  #held: Uint8Array | undefined
  #delivery: Timer | undefined
  #closed = false

  constructor(private readonly options: NotificationReaderOptions) {
    const { clock, log } = options
    this.#folder = `${slotsFolder(options)}/slot${options.slot}`
    this.#warnings = limitWarnings(clock, log)
    this.#ended = this.#run()
  }

  /**
   * Ends the blocked read through `close_notification` if the kernel has it, else by force. Resolves when the reader has ended; never
   * rejects.
   */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      this.#delivery?.cancel()
      if (this.#reading) this.#endRead()
      else this.#abort.abort()
    }
    return this.#ended
  }

  #endRead(): void {
    const { files, clock } = this.options
    const force = clock.after(NOTIFICATION_END_MS, () => this.#abort.abort())
    void this.#ended.then(() => force.cancel())
    files.write(`${this.#folder}/close_notification`, '\x01').catch(() => {
      // The kernel lacks it, or the module is gone: the timer ends the read.
    })
  }

  async #run(): Promise<void> {
    await this.options.after
    while (!this.#closed) {
      await this.#follow()
      if (!this.#closed) await this.#pause(NOTIFICATION_PAUSE_MS)
    }
  }

  /** Resolves when reads fail. Never rejects. */
  async #follow(): Promise<void> {
    const onContent = (content: string): void => {
      this.#failing = false
      this.#failedBefore = false
      if (!this.#closed) this.#onContent(content)
    }
    this.#reading = true
    try {
      await this.options.files.follow(`${this.#folder}/notification`, this.#failedBefore, onContent, this.#abort.signal)
    } catch (error) {
      this.#onFailure(error)
    }
    this.#failedBefore = true
    this.#reading = false
  }

  /** Delivers the responses that are not empty; logs the last malformed one. */
  #onContent(content: string): void {
    let isGood = false
    let fault: string | undefined
    for (const text of textsIn(content)) {
      try {
        const payload = payloadOf(text)
        if (decodeNotification(payload) === undefined) continue
        this.#deliver(payload)
        isGood = true
      } catch (error) {
        if (!(error instanceof SdbpError)) throw error
        fault = error.message
      }
    }
    if (fault !== undefined) this.#onNonsense(content, fault)
    else if (isGood) this.#senseless = false
  }

  /** Allows bursts; merges an endless stream. */
  #deliver(payload: Uint8Array): void {
    const { slot, clock, onNotification } = this.options
    if (this.#held !== undefined) {
      this.#held = merged(this.#held, payload)
      return
    }
    const nowMs = clock.now()
    if (this.#dueMs <= nowMs) this.#isSlowed = false
    this.#dueMs = Math.max(this.#dueMs, nowMs) + NOTIFICATION_INTERVAL_MS
    const waitMs = this.#dueMs - NOTIFICATION_BURST * NOTIFICATION_INTERVAL_MS - nowMs
    if (waitMs <= 0) {
      onNotification(payload)
      return
    }
    this.#held = payload
    this.#delivery = clock.after(waitMs, () => {
      const held = this.#held
      this.#held = undefined
      if (held !== undefined) onNotification(held)
    })
    if (this.#isSlowed) return
    this.#isSlowed = true
    const perSecond = MS_PER_SECOND / NOTIFICATION_INTERVAL_MS
    this.#warnings.warn({ slot, perSecond }, 'notifications come without end, merging them')
  }

  #onNonsense(content: string, reason: string): void {
    if (this.#senseless) return
    this.#senseless = true
    const fields = { slot: this.options.slot, reason, read: content.slice(0, MAX_QUOTE_CHARACTERS) }
    this.#warnings.warn(fields, 'a malformed notification is dropped')
  }

  #onFailure(error: unknown): void {
    if (this.#closed || this.#failing) return
    if (error instanceof KernelFileError && expected.includes(error.errno)) return
    this.#failing = true
    const { slot, log } = this.options
    const reason = messageOf(error)
    const busy = error instanceof KernelFileError && error.errno === Errno.EBUSY
    log.warn(
      { slot, reason },
      busy ? 'another program reads the notifications of this slot: end it' : 'notifications cannot be read',
    )
  }

  async #pause(waitMs: number): Promise<void> {
    try {
      await this.options.clock.sleep(waitMs, this.#abort.signal)
    } catch {
      // The reader was closed meanwhile.
    }
  }
}

const NOTIFICATION = /^0x((?:[0-9A-Fa-f]{2})+)$/

/** The responses, each with a NUL behind it (wire-protocol.md section 3). NULs alone are one malformed text. */
function textsIn(content: string): string[] {
  const texts = content.split('\0').filter((text) => text !== '')
  return texts.length === 0 && content !== '' ? [content] : texts
}

function payloadOf(text: string): Uint8Array {
  const digits = NOTIFICATION.exec(text.trim())?.[1]
  if (digits === undefined) throw new SdbpError('truncated', 'the content is not 0x and the hex digits of a response')
  return Uint8Array.from(Buffer.from(digits, 'hex'))
}
