import type { Clock } from '@slotwire/core'

const MS_PER_SECOND = 1000

/** Something that begins and ends again and again, and is stuck when one of them does not end within a limit, in milliseconds. */
export class StallTimer {
  readonly #clock: Clock
  readonly #limitMs: number
  #sinceMs: number | undefined

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** What is under way already goes on. */
  begin(): void {
    this.#sinceMs ??= this.#clock.now()
  }

  end(): void {
    this.#sinceMs = undefined
  }

  /** Whether it is under way now. */
  get now(): boolean {
    return this.#sinceMs !== undefined
  }

  /** For how many seconds it has been under way, once that is longer than the limit. */
  get stuckSeconds(): number | undefined {
    if (this.#sinceMs === undefined) return undefined
    const sinceMs = this.#clock.now() - this.#sinceMs
    return sinceMs > this.#limitMs ? Math.floor(sinceMs / MS_PER_SECOND) : undefined
  }
}
