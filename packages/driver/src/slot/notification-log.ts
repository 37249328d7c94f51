import type { Clock, Log, Timer } from '@slotwire/core'

/** Notifications as one: alerts are bits, merged by OR. */
export function merged(one: Uint8Array, other: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: Math.max(one.length, other.length) }, (_, index) => (one[index] ?? 0) | (other[index] ?? 0))
}

/** Notification bytes that were not delivered yet: bit masks. Bit 0 of each byte belongs to item 1. */
export class PendingNotifications {
  #masks: Uint8Array = new Uint8Array()
  #epoch = 0

  /** How often everything has been dropped. Bits taken in an earlier epoch must not be merged back. */
  get epoch(): number {
    return this.#epoch
  }

  /** Merges bytes from the module. Returns whether a bit is pending now that was not. */
  merge(bytes: Uint8Array): boolean {
    const before = this.#masks
    this.#masks = merged(before, bytes)
    return this.#masks.some((mask, index) => mask !== (before[index] ?? 0))
  }

  /** Whether a bit is pending for item `number` (from 1). */
  has(number: number): boolean {
    return this.#masks.some((mask) => (mask & bitOf(number)) !== 0)
  }

  /** The bits of item `number`, one byte each; does not clear them. */
  peek(number: number): Uint8Array {
    return this.#masks.map((mask) => mask & bitOf(number))
  }

  /** Returns and clears the bits of item `number`. If they cannot be delivered, `merge` restores them. */
  take(number: number): Uint8Array {
    const taken = this.peek(number)
    this.#masks = this.#masks.map((mask) => mask & ~bitOf(number))
    return taken
  }

  clear(): void {
    this.#masks = new Uint8Array()
    this.#epoch++
  }
}

function bitOf(number: number): number {
  return 1 << (number - 1)
}

/** Shortest time between two lines about the notifications of one slot, in milliseconds. */
export const NOTIFICATION_LOG_INTERVAL_MS = 1000

/** What notification bytes mean, for the reader of the log. */
export interface NotificationMeaning {
  /** `warn`: a person should check it. */
  readonly level: 'info' | 'warn'
  readonly fields: object
}

/** Interprets the notification bytes of one module type. The bytes of several notifications may be merged by OR. */
export type ReadNotification = (bytes: Uint8Array) => NotificationMeaning

export interface NotificationLogOptions {
  readonly slot: number
  readonly clock: Clock
  readonly log: Log
  /** Without it the raw bytes are logged. */
  readonly read?: ReadNotification | undefined
}

/**
 * Logs notifications, at most one line in `NOTIFICATION_LOG_INTERVAL_MS`: a signal that alerts all the time must not fill the log.
 * Notifications in between are merged and logged with their number afterwards: none is lost.
 */
export class NotificationLog {
  #masks: Uint8Array = new Uint8Array()
  #notifications = 0
  #lastLineMs = Number.NEGATIVE_INFINITY
  #next: Timer | undefined

  constructor(private readonly options: NotificationLogOptions) {}

  /** Counts a notification. It causes a line only if it set a bit that was not pending (`isNew`). */
  add(bytes: Uint8Array, isNew: boolean): void {
    this.#notifications++
    this.#masks = merged(this.#masks, bytes)
    if (!isNew || this.#next !== undefined) return
    const { clock } = this.options
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
    const { slot, clock, log, read } = this.options
    const bytes = this.#masks
    const notifications = this.#notifications
    this.#next = undefined
    this.#masks = new Uint8Array()
    this.#notifications = 0
    this.#lastLineMs = clock.now()
    const { level, fields } = read?.(bytes) ?? { level: 'info', fields: { bytes: [...bytes] } }
    log[level]({ slot, notifications, ...fields }, 'notification from the module')
  }
}

/** Shortest time between two warnings, in milliseconds: a peer cannot fill the log. */
const WARNING_INTERVAL_MS = 10_000

/** Warns at once, but at most once in `WARNING_INTERVAL_MS`. Adds how many warnings were left out. */
export type LimitedWarnings = Pick<Log, 'warn'>

export function limitWarnings(clock: Clock, log: Log): LimitedWarnings {
  let last = Number.NEGATIVE_INFINITY
  let omitted = 0
  return {
    warn: (fields, message) => {
      if (clock.now() - last < WARNING_INTERVAL_MS) {
        omitted++
        return
      }
      log.warn(omitted === 0 ? fields : { ...fields, omitted }, message)
      last = clock.now()
      omitted = 0
    },
  }
}
