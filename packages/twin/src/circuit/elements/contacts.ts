import { type Source, type SourceWaveform, steps, type Thevenin } from '../branch.ts'

/** A contact that opens and closes a number of times, then stays. */
export class Contacts implements Source {
  readonly extremes: readonly Thevenin[]
  readonly periodMs = 0
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs: number
  readonly #closed: Thevenin
  readonly #open: Thevenin
  /** Ascending. */
  readonly #movesMs: readonly number[]
  readonly #closedAtFirst: boolean

  /** `closed` is the equivalent while the contact is closed; the contact moves at each of the ascending times `movesMs`. */
  constructor(closed: Thevenin, closedAtFirst: boolean, movesMs: readonly number[]) {
    this.#closed = closed
    this.#open = { volts: closed.volts, ohms: Number.POSITIVE_INFINITY }
    this.#closedAtFirst = closedAtFirst
    this.#movesMs = movesMs
    this.extremes = movesMs.length > 0 ? [this.#open, closed] : [closedAtFirst ? closed : this.#open]
    this.regularFromMs = movesMs.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  isClosedAt(atMs: number): boolean {
    return this.#movesUpTo(atMs) % 2 === 0 ? this.#closedAtFirst : !this.#closedAtFirst
  }

  theveninAt(atMs: number): Thevenin {
    return this.isClosedAt(atMs) ? this.#closed : this.#open
  }

  turnAfter(atMs: number): number {
    return this.#movesMs[this.#movesUpTo(atMs)] ?? Number.POSITIVE_INFINITY
  }

  turnUpTo(atMs: number): number {
    return this.#movesMs[this.#movesUpTo(atMs) - 1] ?? Number.NEGATIVE_INFINITY
  }

  waveformAt(atMs: number): SourceWaveform {
    return steps(this.theveninAt(atMs), this.turnAfter(atMs))
  }

  #movesUpTo(atMs: number): number {
    if (atMs >= this.regularFromMs) return this.#movesMs.length
    return this.#movesMs.findIndex((moveMs) => moveMs > atMs)
  }
}
