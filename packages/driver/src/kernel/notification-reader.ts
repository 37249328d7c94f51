import type { Clock, Log } from '@slotwire/core'
import { Errno } from './errno.ts'
import { KernelFileError, type KernelFiles } from './kernel-files.ts'

/** Pause after a read that brought nothing, in milliseconds: without it a reader that fails at once would turn in circles. */
export const NOTIFICATION_PAUSE_MS = 100
/** So long a blocked read may take to end by itself when its module left or it was asked to, in milliseconds; then by force. */
export const NOTIFICATION_END_MS = 100

const NOTIFICATION = /^0x((?:[0-9A-Fa-f]{2})+)$/
/** GET_NOTIFICATION answered with ERROR: there was nothing. */
const NOTHING = /^0x010601/
/** What comes of the kernel's own accord: the module left, the read was ended, it did not want to now. */
const expected: readonly number[] = [Errno.ENODEV, Errno.EBADSLT, Errno.ENOENT, Errno.ENXIO, Errno.EPIPE, Errno.EAGAIN, Errno.EIO]

export interface NotificationReaderOptions {
  readonly slot: number
  readonly files: KernelFiles
  /** `/sys/class/sdbp/slotN`. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the reader before has ended: it must not take away what a successor has to tell. */
  readonly after: Promise<void>
  readonly onNotification: (payload: Uint8Array) => void
}

/** Waits for the notifications of one module, one blocking read after the other, until it is closed. */
export class NotificationReader {
  readonly #options: NotificationReaderOptions
  readonly #abort = new AbortController()
  readonly #ended: Promise<void>
  #reading = false
  #failing = false
  #closed = false

  constructor(options: NotificationReaderOptions) {
    this.#options = options
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
    const { files, folder, clock } = this.#options
    const force = clock.after(NOTIFICATION_END_MS, () => this.#abort.abort())
    void this.#ended.then(() => force.cancel())
    files.write(`${folder}/close_notification`, '\x01').catch(() => {
      // This kernel has it not, or the module is gone: the timer ends it.
    })
  }

  async #run(): Promise<void> {
    await this.#options.after
    while (!this.#closed) {
      const heard = await this.#read()
      if (!heard && !this.#closed) await this.#pause()
    }
  }

  /** Whether there was a notification. Never rejects. */
  async #read(): Promise<boolean> {
    const { files, folder } = this.#options
    this.#reading = true
    try {
      const content = await files.readOnce(`${folder}/notification`, this.#abort.signal)
      this.#failing = false
      return !this.#closed && this.#deliver(content)
    } catch (error) {
      this.#onFailure(error)
      return false
    } finally {
      this.#reading = false
    }
  }

  #deliver(content: string): boolean {
    const told = content.split('\0').filter((text) => !NOTHING.test(text))
    const payloads = told.flatMap((text) => NOTIFICATION.exec(text.trim())?.[1] ?? [])
    for (const digits of payloads) this.#options.onNotification(Uint8Array.from(Buffer.from(digits, 'hex')))
    return payloads.length > 0
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

  async #pause(): Promise<void> {
    try {
      await this.#options.clock.sleep(NOTIFICATION_PAUSE_MS, this.#abort.signal)
    } catch {
      // It was closed meanwhile.
    }
  }
}
