import type { Clock } from '@slotwire/core'

/** RFC 6762 section 8.1: after 15 conflicts within 10 s each further attempt waits 5 s. */
const MAX_CONFLICTS = 15
const WITHIN_MS = 10_000
const WAIT_MS = 5000
/** So long without a conflict, and all is forgotten. */
const CALM_MS = 30_000

/** Keeps a host that is never left a name from flooding the network with attempts. */
export class ConflictPace {
  readonly #clock: Clock
  #conflicts: readonly number[] = []
  #slow = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be called at each conflict; resolves when the next attempt may be made. */
  async conflict(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const last = this.#conflicts.at(-1) ?? Number.NEGATIVE_INFINITY
    this.#conflicts = [...this.#conflicts.filter((at) => now - at < WITHIN_MS), now].slice(-MAX_CONFLICTS)
    this.#slow = this.#conflicts.length === MAX_CONFLICTS || (this.#slow && now - last < CALM_MS)
    if (this.#slow) await this.#clock.sleep(WAIT_MS, signal)
  }
}
