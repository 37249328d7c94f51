import type { Clock, Timer } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'

/** How often the event loop is looked at, in milliseconds. */
export const LOOP_PROBE_MS = 100

/** How late timers fire: how long whatever comes to this process has to wait for its turn. */
export class EventLoopDelay {
  readonly histogram = new DurationHistogram()
  readonly #clock: Clock
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins to measure. Called again it changes nothing. */
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
