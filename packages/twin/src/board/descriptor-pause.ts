import type { Clock } from '@slotwire/core'

/** How much each failure adds to the pause, and the longest pause. */
const PAUSE_MS = { step: 1000, longest: 60_000 }

/**
 * The kernel driver's pause after a descriptor that it could not read: n seconds after the n-th, for all slots. Whether a success ends the
 * count on a device is not known; here it does.
 */
export class DescriptorPause {
  readonly #clock: Clock
  #pauseMs = 0
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Time until the next descriptor may be read; not above 0: now. */
  get leftMs(): number {
    return this.#untilMs - this.#clock.now()
  }

  failed(): void {
    this.#pauseMs = Math.min(this.#pauseMs + PAUSE_MS.step, PAUSE_MS.longest)
    this.#untilMs = this.#clock.now() + this.#pauseMs
  }

  /** A descriptor was read, or the host starts again. */
  end(): void {
    this.#pauseMs = 0
    this.#untilMs = Number.NEGATIVE_INFINITY
  }
}
