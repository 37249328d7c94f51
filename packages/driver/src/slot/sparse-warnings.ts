import type { Clock, Log } from '@slotwire/core'

/** Shortest time between two warnings, in milliseconds: whoever makes them happen cannot fill the log. */
export const WARNING_INTERVAL_MS = 10_000

/** Warns at once, but not more often than `WARNING_INTERVAL_MS`; says how many warnings were left out. */
export class SparseWarnings {
  readonly #clock: Clock
  readonly #log: Log
  #last = Number.NEGATIVE_INFINITY
  #omitted = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  warn(fields: object, message: string): void {
    if (this.#clock.now() - this.#last < WARNING_INTERVAL_MS) {
      this.#omitted++
      return
    }
    this.#log.warn(this.#omitted === 0 ? fields : { ...fields, omitted: this.#omitted }, message)
    this.#last = this.#clock.now()
    this.#omitted = 0
  }
}
