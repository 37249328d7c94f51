import { type Clock, nextTurn } from '@slotwire/core'

/**
 * An answer within this time is quick, in milliseconds. If the next exchange follows as soon, its answer is awaited by busy polling. A
 * frame of 64 bytes takes 0.03 ms at 16 MHz; sleeping and waking up costs as much again.
 */
export const QUICK_ANSWER_MS = 0.5

/**
 * Keeps the event loop polling while the answer to a single exchange in a row of quick ones is due. With several pending there is enough
 * to do; after a slow answer or a pause the loop sleeps (decision 0210).
 */
export class BusyPolling {
  readonly #possible: boolean
  #pending = 0
  #startedMs = 0
  #endedMs = Number.NEGATIVE_INFINITY
  #lastWasQuick = false
  #polling = false

  /** With only one of the `processors`, polling would take it from the slot's process. `turn` lets all other pending events run first. */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    processors: number,
    private readonly turn = nextTurn,
  ) {
    this.#possible = processors > 1
  }

  /** Whether the loop is polling now. */
  get active(): boolean {
    return this.#polling
  }

  /** Call this when an exchange has been sent. */
  onSent(): void {
    this.#pending++
    if (!this.#possible) return
    this.#startedMs = this.clock.now()
    const inARow = this.#lastWasQuick && this.#startedMs - this.#endedMs < QUICK_ANSWER_MS
    if (inARow && !this.#polling) void this.#poll()
  }

  /** Call this when an exchange has ended, with an answer or an error. */
  onEnded(): void {
    this.#pending--
    if (!this.#possible) return
    this.#endedMs = this.clock.now()
    this.#lastWasQuick = this.#endedMs - this.#startedMs < QUICK_ANSWER_MS
  }

  /** Polls through the short time between an answer and the next exchange as well, but never longer than a quick answer takes. */
  async #poll(): Promise<void> {
    this.#polling = true
    while (this.#expected()) await this.turn()
    this.#polling = false
  }

  #expected(): boolean {
    if (this.#pending > 1) return false
    const sinceMs = this.#pending === 1 ? this.#startedMs : this.#endedMs
    return this.clock.now() - sinceMs < QUICK_ANSWER_MS
  }
}
