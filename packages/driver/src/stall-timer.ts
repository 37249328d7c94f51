import type { Clock } from '@slotwire/core'

const MS_PER_SECOND = 1000

/** Watches work that begins and ends again and again. It is stuck when a run does not end within a limit, in milliseconds. */
export class StallTimer {
  #sinceMs: number | undefined

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
  ) {}

  /** A run that has begun continues. */
  begin(): void {
    this.#sinceMs ??= this.clock.now()
  }

  end(): void {
    this.#sinceMs = undefined
  }

  /** Whether a run has begun and not ended. */
  get running(): boolean {
    return this.#sinceMs !== undefined
  }

  /** How many seconds the current run has taken, once that is longer than the limit. */
  get stuckSeconds(): number | undefined {
    if (this.#sinceMs === undefined) return undefined
    const sinceMs = this.clock.now() - this.#sinceMs
    return sinceMs > this.limitMs ? Math.floor(sinceMs / MS_PER_SECOND) : undefined
  }
}
