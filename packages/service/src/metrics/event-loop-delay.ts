import type { Clock, Timer } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'

/** Interval of measurements, in milliseconds. */
export const LOOP_PROBE_MS = 100

/** Measures how late timers fire: how long events wait for the event loop. */
export class EventLoopDelay {
  readonly histogram = new DurationHistogram()
  readonly #clock: Clock
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts measuring; further calls have no effect. */
  start(): void {
    if (this.#timer === undefined) this.#arm()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    const dueMs = this.#clock.now() + LOOP_PROBE_MS
    this.#timer = this.#clock.after(LOOP_PROBE_MS, () => {
      this.histogram.add(Math.max(0, this.#clock.now() - dueMs))
      this.#arm()
    })
  }
}
