import { Source, type Thevenin } from '../branch.ts'

/** A contact that opens and closes a number of times, then stays. */
export class Contacts extends Source {
  readonly extremes: readonly Thevenin[]
  override readonly regularFromMs: number
  readonly #open: Thevenin

  /** `closed` is the equivalent while the contact is closed; the contact moves at each of the ascending times `movesMs`. */
  constructor(
    private readonly closed: Thevenin,
    private readonly closedAtFirst: boolean,
    /** Ascending. */
    private readonly movesMs: readonly number[],
  ) {
    super()
    this.#open = { volts: closed.volts, ohms: Number.POSITIVE_INFINITY }
    this.extremes = movesMs.length > 0 ? [this.#open, closed] : [closedAtFirst ? closed : this.#open]
    this.regularFromMs = movesMs.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  isClosedAt(atMs: number): boolean {
    return this.#movesUpTo(atMs) % 2 === 0 ? this.closedAtFirst : !this.closedAtFirst
  }

  theveninAt(atMs: number): Thevenin {
    return this.isClosedAt(atMs) ? this.closed : this.#open
  }

  override turnAfter(atMs: number): number {
    return this.movesMs[this.#movesUpTo(atMs)] ?? Number.POSITIVE_INFINITY
  }

  override turnUpTo(atMs: number): number {
    return this.movesMs[this.#movesUpTo(atMs) - 1] ?? Number.NEGATIVE_INFINITY
  }

  #movesUpTo(atMs: number): number {
    if (atMs >= this.regularFromMs) return this.movesMs.length
    return this.movesMs.findIndex((moveMs) => moveMs > atMs)
  }
}
