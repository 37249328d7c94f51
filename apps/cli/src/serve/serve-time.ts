import type { BenchTime } from '@slotwire/bench-api'
import { type Clock, coreErrors, PacedClock } from '@slotwire/core'

/** The pace at which everything ends. */
export const REAL_PACE = 1

/** The time of a served twin: whoever is at its bench may change its pace, until the service is closed. */
export class ServedTime implements BenchTime {
  /** What the twin and its driver go by. */
  readonly clock: PacedClock
  #released = false

  constructor(base: Clock) {
    this.clock = new PacedClock(base)
  }

  now(): number {
    return this.clock.now()
  }

  get pace(): number {
    return this.clock.pace
  }

  /** Throws `stopping` after `release`, and `RangeError` for a pace that is none. */
  set pace(pace: number) {
    if (this.#released) throw coreErrors.stopping()
    this.clock.pace = pace
  }

  async step(ms: number): Promise<void> {
    if (this.#released) throw coreErrors.stopping()
    await this.clock.step(ms)
  }

  /** Has time go at its real pace from now on, whatever is asked for: to close, modules are waited for. Ends a step. */
  release(): void {
    this.#released = true
    this.clock.pace = REAL_PACE
  }
}
