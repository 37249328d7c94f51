import type { Clock } from '@slotwire/core'

/**
 * One body with a first-order response to heat: it approaches its target temperature exponentially. Computed in closed form on request, so
 * it needs no timer.
 */
export class HeatNode {
  #targetCelsius: number
  #sinceCelsius: number
  #sinceMs: number

  /** Starts settled at `celsius`. */
  constructor(
    private readonly clock: Clock,
    celsius: number,
    private readonly timeConstantMs: number,
  ) {
    this.#targetCelsius = celsius
    this.#sinceCelsius = celsius
    this.#sinceMs = clock.now()
  }

  /** Temperature now. */
  get celsius(): number {
    const share = Math.exp(-(this.clock.now() - this.#sinceMs) / this.timeConstantMs)
    return this.#targetCelsius + (this.#sinceCelsius - this.#targetCelsius) * share
  }

  /** The temperature that it approaches. */
  get targetCelsius(): number {
    return this.#targetCelsius
  }

  /** Sets the temperature that it approaches. */
  drive(targetCelsius: number): void {
    if (targetCelsius === this.#targetCelsius) return
    this.#sinceCelsius = this.celsius
    this.#sinceMs = this.clock.now()
    this.#targetCelsius = targetCelsius
  }

  /** Time until the temperature reaches `level` if nothing changes, in ms; Infinity if it never does. */
  msUntil(level: number): number {
    const now = this.celsius
    if (now === level) return 0
    const ratio = (now - this.#targetCelsius) / (level - this.#targetCelsius)
    return ratio > 1 && Number.isFinite(ratio) ? this.timeConstantMs * Math.log(ratio) : Number.POSITIVE_INFINITY
  }
}
