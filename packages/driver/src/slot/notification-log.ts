import type { Clock, Log, Timer } from '@slotwire/core'

/** Shortest time between two lines about the notifications of one slot, in milliseconds. */
export const NOTIFICATION_LOG_INTERVAL_MS = 1000

/** What notification bytes mean, for the reader of the log. */
export interface NotificationMeaning {
  /** `warn`: a person should check it. */
  readonly level: 'info' | 'warn'
  readonly fields: object
}

/** Interprets the notification bytes of one module type. The bytes of several notifications may be merged by OR. */
export type NotificationReader = (bytes: Uint8Array) => NotificationMeaning

export interface NotificationLogOptions {
  readonly slot: number
  readonly clock: Clock
  readonly log: Log
  /** Without it the raw bytes are logged. */
  readonly read?: NotificationReader | undefined
}

/**
 * Logs notifications, at most one line in `NOTIFICATION_LOG_INTERVAL_MS`: a signal that alerts all the time must not fill the log.
 * Notifications in between are merged and logged with their number afterwards: none is lost.
 */
export class NotificationLog {
  readonly #options: NotificationLogOptions
  #masks: number[] = []
  #notifications = 0
  #lastLineMs = Number.NEGATIVE_INFINITY
  #next: Timer | undefined

  constructor(options: NotificationLogOptions) {
    this.#options = options
  }

  /** Counts a notification. It causes a line only if it set a bit that was not pending (`isNew`). */
  add(bytes: Uint8Array, isNew: boolean): void {
    this.#notifications++
    bytes.forEach((mask, index) => {
      this.#masks[index] = (this.#masks[index] ?? 0) | mask
    })
    if (!isNew || this.#next !== undefined) return
    const { clock } = this.#options
    const waitMs = this.#lastLineMs + NOTIFICATION_LOG_INTERVAL_MS - clock.now()
    if (waitMs <= 0) this.#write()
    else this.#next = clock.after(waitMs, () => this.#write())
  }

  /** Logs at once what is still waiting. */
  close(): void {
    if (this.#next === undefined) return
    this.#next.cancel()
    this.#write()
  }

  #write(): void {
    const { slot, clock, log, read } = this.#options
    const bytes = Uint8Array.from(this.#masks)
    const notifications = this.#notifications
    this.#next = undefined
    this.#masks = []
    this.#notifications = 0
    this.#lastLineMs = clock.now()
    const { level, fields } = read?.(bytes) ?? { level: 'info', fields: { bytes: [...bytes] } }
    log[level]({ slot, notifications, ...fields }, 'notification from the module')
  }
}
