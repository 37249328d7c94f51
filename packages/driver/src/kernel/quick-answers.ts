import { type Clock, nextTurn } from '@slotwire/core'

/**
 * An answer that came sooner than this, and whose successor is asked for as soon, is waited for awake, in milliseconds: a frame of 64 bytes
 * takes 0.03 at 16 MHz, being put to sleep and woken up as much again.
 */
export const QUICK_ANSWER_MS = 0.5

export interface QuickAnswersOptions {
  readonly clock: Pick<Clock, 'now'>
  /** Of one processor alone the slot's process would be deprived. */
  readonly processors: number
  /** Lets everything else that is ready go first. */
  readonly turn?: () => Promise<void>
}

/**
 * Keeps the event loop awake, turn by turn, while the answer to one exchange is expected at any moment: one alone, in a row of quick ones.
 * With several on their way there is enough to do, and after a slow one or a pause it sleeps; decision 0210.
 */
export class QuickAnswers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #possible: boolean
  readonly #turn: () => Promise<void>
  #underWay = 0
  #startedMs = 0
  #endedMs = Number.NEGATIVE_INFINITY
  #lastWasQuick = false
  #awake = false

  constructor({ clock, processors, turn = nextTurn }: QuickAnswersOptions) {
    this.#clock = clock
    this.#possible = processors > 1
    this.#turn = turn
  }

  /** Whether the loop is kept awake at the moment. */
  get awake(): boolean {
    return this.#awake
  }

  /** An exchange has been sent. */
  began(): void {
    this.#underWay++
    if (!this.#possible) return
    this.#startedMs = this.#clock.now()
    const inARow = this.#lastWasQuick && this.#startedMs - this.#endedMs < QUICK_ANSWER_MS
    if (inARow && !this.#awake) void this.#stayAwake()
  }

  /** Its answer came, or failed to. */
  ended(): void {
    this.#underWay--
    if (!this.#possible) return
    this.#endedMs = this.#clock.now()
    this.#lastWasQuick = this.#endedMs - this.#startedMs < QUICK_ANSWER_MS
  }

  /** Over the short time between an answer and the next exchange as well; never longer than a quick answer takes. */
  async #stayAwake(): Promise<void> {
    this.#awake = true
    while (this.#expected()) await this.#turn()
    this.#awake = false
  }

  #expected(): boolean {
    if (this.#underWay > 1) return false
    const sinceMs = this.#underWay === 1 ? this.#startedMs : this.#endedMs
    return this.#clock.now() - sinceMs < QUICK_ANSWER_MS
  }
}
