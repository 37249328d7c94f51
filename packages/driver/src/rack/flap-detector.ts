import type { Clock, Log, Timer } from '@slotwire/core'

/** A slot in which nothing has changed for so long has come to rest, in milliseconds. */
export const REST_MS = 10_000
/** So many changes without a rest between them are told: a module that is pulled out and put back makes two. */
export const TOLD_CHANGES = 6

const COMES_AND_GOES = `the module comes and goes: no more is said of it until nothing has changed for ${REST_MS / 1000} s`

export interface FlapDetectorOptions {
  readonly slot: number
  readonly clock: Clock
  readonly log: Log
}

/**
 * Whether a slot's modules come and go over and over, as at a loose contact. That is told once, and once more when it is over; what happens in
 * between is for whoever looks closely.
 */
export class FlapDetector {
  readonly #options: FlapDetectorOptions
  /** Since the last rest. */
  #changes = 0
  #lastMs = Number.NEGATIVE_INFINITY
  /** Runs while it is quiet. */
  #rest: Timer | undefined

  constructor(options: FlapDetectorOptions) {
    this.#options = options
  }

  /** Nothing that happens in the slot is news. */
  get isQuiet(): boolean {
    return this.#changes > TOLD_CHANGES
  }

  /** A module came, or one that was used left or was lost. */
  changed(): void {
    const { slot, clock, log } = this.#options
    const now = clock.now()
    if (now - this.#lastMs >= REST_MS) this.#changes = 0
    this.#lastMs = now
    if (++this.#changes <= TOLD_CHANGES) return
    if (this.#rest === undefined) log.warn({ slot }, COMES_AND_GOES)
    this.#rest?.cancel()
    this.#rest = clock.after(REST_MS, () => {
      log.info({ slot, changes: this.#changes }, 'the module has come to rest')
      this.close()
    })
  }

  /** Nothing follows any more. */
  close(): void {
    this.#rest?.cancel()
    this.#rest = undefined
    this.#changes = 0
  }
}
