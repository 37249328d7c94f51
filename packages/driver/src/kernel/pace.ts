import type { Clock } from '@slotwire/core'

export interface PaceOptions {
  readonly clock: Clock
  /** How many may come at once after a rest. */
  readonly burst: number
  /** How far apart, in milliseconds, they come on the whole after that. */
  readonly intervalMs: number
}

/** Lets bursts pass and slows down what does not end. */
export class Pace {
  readonly #options: PaceOptions
  /** When everything that came so far would have come, had it kept the interval. */
  #dueMs = Number.NEGATIVE_INFINITY

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Whether what came is so long ago that a whole burst may come again. */
  get rested(): boolean {
    return this.#dueMs <= this.#options.clock.now()
  }

  /** Counts `count` that have just come; how long to wait for more, in milliseconds. */
  add(count: number): number {
    const { clock, burst, intervalMs } = this.#options
    const nowMs = clock.now()
    this.#dueMs = Math.max(this.#dueMs, nowMs) + count * intervalMs
    return Math.max(0, this.#dueMs - burst * intervalMs - nowMs)
  }
}
