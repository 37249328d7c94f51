import type { Clock, Log, Timer } from '@slotwire/core'

/** Shortest time between two lines about the notifications of one slot, in milliseconds. */
export const NOTIFICATION_LOG_INTERVAL_MS = 1000

/** What notification bytes mean to a person who reads the log. */
export interface NotificationMeaning {
  /** `warn`: somebody should look at it. */
  readonly level: 'info' | 'warn'
  readonly fields: object
}

/** Reads the notification bytes of one module type; those of several notifications may be merged by OR. */
export type NotificationReader = (bytes: Uint8Array) => NotificationMeaning

export interface NotificationLogOptions {
  readonly slot: number
  readonly clock: Clock
  readonly log: Log
  /** The bytes themselves are logged where it is left out. */
  readonly read?: NotificationReader | undefined
}

/**
 * Logs what a module tells, at most once per `NOTIFICATION_LOG_INTERVAL_MS`: a signal that alerts all the time must not fill the log. What
 * comes in between is merged and said, with its number, when the time is over: no alert stays unsaid.
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

  /** Counts a notification; it is worth a line only if something became pending by it that was not (`isNew`). */
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

  /** Says at once what is left to say. */
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
