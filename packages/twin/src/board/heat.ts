import type { Clock } from '@slotwire/core'

/**
 * One body with a first-order answer to heat: it nears its target temperature exponentially. Computed in closed form when asked, so it
 * costs nothing meanwhile. A network of several bodies would take its place behind the same three questions.
 */
export class HeatNode {
  readonly #clock: Clock
  readonly #timeConstantMs: number
  #targetCelsius: number
  #sinceCelsius: number
  #sinceMs: number

  /** Starts settled at `celsius`. */
  constructor(clock: Clock, celsius: number, timeConstantMs: number) {
    this.#clock = clock
    this.#timeConstantMs = timeConstantMs
    this.#targetCelsius = celsius
    this.#sinceCelsius = celsius
    this.#sinceMs = clock.now()
  }

  /** Temperature now. */
  get celsius(): number {
    const share = Math.exp(-(this.#clock.now() - this.#sinceMs) / this.#timeConstantMs)
    return this.#targetCelsius + (this.#sinceCelsius - this.#targetCelsius) * share
  }

  /** Where the temperature tends to. */
  get targetCelsius(): number {
    return this.#targetCelsius
  }

  /** From now on the temperature tends to `targetCelsius`. */
  drive(targetCelsius: number): void {
    if (targetCelsius === this.#targetCelsius) return
    this.#sinceCelsius = this.celsius
    this.#sinceMs = this.#clock.now()
    this.#targetCelsius = targetCelsius
  }

  /** How long, in ms, until the temperature is `level` if nothing changes; Infinity when it never will be. */
  msUntil(level: number): number {
    const now = this.celsius
    if (now === level) return 0
    const ratio = (now - this.#targetCelsius) / (level - this.#targetCelsius)
    return ratio > 1 && Number.isFinite(ratio) ? this.#timeConstantMs * Math.log(ratio) : Number.POSITIVE_INFINITY
  }
}
