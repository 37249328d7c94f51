import type { BenchTime } from '@slotwire/bench-api'
import { type Clock, coreErrors, PacedClock } from '@slotwire/core'

/** The pace of real time. Closing always uses it. */
export const REAL_PACE = 1

/** The time of a served twin. Bench clients may change its pace until the service closes. */
export class ServedTime implements BenchTime {
  /** The clock of the twin and its driver. */
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

  /** Throws `stopping` after `release`, and `RangeError` for an invalid pace. */
  set pace(pace: number) {
    if (this.#released) throw coreErrors.stopping()
    this.clock.pace = pace
  }

  async step(ms: number): Promise<void> {
    if (this.#released) throw coreErrors.stopping()
    await this.clock.step(ms)
  }

  /** Sets the real pace permanently and ends a step: closing has to wait for modules. */
  release(): void {
    this.#released = true
    this.clock.pace = REAL_PACE
  }
}
