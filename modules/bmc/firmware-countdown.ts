import type { Clock, Timer } from '@slotwire/core'

/** Counts a time down to its end, unless it is stopped or started anew. */
export class Countdown {
  readonly #clock: Clock
  readonly #onEnd: () => void
  #timer: Timer | undefined
  #endMs = 0

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  get running(): boolean {
    return this.#timer !== undefined
  }

  /** Whole ms, rounded up; 0 while it is not running. */
  get leftMs(): number {
    return this.running ? Math.max(0, Math.ceil(this.#endMs - this.#clock.now())) : 0
  }

  start(durationMs: number): void {
    this.stop()
    this.#endMs = this.#clock.now() + durationMs
    this.#timer = this.#clock.after(durationMs, () => {
      this.#timer = undefined
      this.#onEnd()
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
