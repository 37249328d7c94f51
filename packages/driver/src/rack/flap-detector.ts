import type { Clock, Log, Timer } from '@slotwire/core'

/** A slot without changes for so long is stable, in milliseconds. */
export const STABLE_AFTER_MS = 10_000
/** So many changes without a pause of `STABLE_AFTER_MS` are logged. Unplugging and plugging a module makes two. */
export const LOGGED_CHANGES = 6

const FLAPPING_MESSAGE = `the module comes and goes: no further changes are logged until it has been stable for ${STABLE_AFTER_MS / 1000} s`

export interface FlapDetectorOptions {
  readonly slot: number
  readonly clock: Clock
  readonly log: Log
}

/**
 * Detects a slot whose modules come and go again and again, as with a loose contact. Logs that once, and once more when it is over;
 * changes in between are logged at debug level.
 */
export class FlapDetector {
  /** Since the slot was last stable. */
  #changes = 0
  #lastMs = Number.NEGATIVE_INFINITY
  /** Runs while the log is quiet. */
  #rest: Timer | undefined

  constructor(private readonly options: FlapDetectorOptions) {}

  /** Whether events of this slot are to be logged at debug level only. */
  get isQuiet(): boolean {
    return this.#changes > LOGGED_CHANGES
  }

  /** Call this when a module came, or a usable one left or was lost. */
  changed(): void {
    const { slot, clock, log } = this.options
    const now = clock.now()
    if (now - this.#lastMs >= STABLE_AFTER_MS) this.#changes = 0
    this.#lastMs = now
    if (++this.#changes <= LOGGED_CHANGES) return
    if (this.#rest === undefined) log.warn({ slot }, FLAPPING_MESSAGE)
    this.#rest?.cancel()
    this.#rest = clock.after(STABLE_AFTER_MS, () => {
      log.info({ slot, changes: this.#changes }, 'the module is stable again')
      this.close()
    })
  }

  /** Stops the timer. */
  close(): void {
    this.#rest?.cancel()
    this.#rest = undefined
    this.#changes = 0
  }
}
