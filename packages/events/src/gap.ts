import { comparePositions, formatPosition, type Position } from './position.ts'

/** Records that a reader may have wanted, and that are lost. */
export interface Gap {
  /** They are after this id. */
  readonly from: string
  /** The last of them is not after this id. */
  readonly to: string
  /** How many at most; null: unknown, as an earlier process was killed or its files are gone. */
  readonly missing: number | null
}

/** Joins losses to one gap. */
export class GapTally {
  readonly #after: Position
  #to: Position | undefined
  #missing: number | null = 0

  /** Everything before this position was read. */
  constructor(after: Position) {
    this.#after = after
  }

  /** At most `missing` records are lost, the last of them not after `to`. */
  add(to: Position, missing: number | null): void {
    if (this.#to === undefined || comparePositions(to, this.#to) > 0) this.#to = to
    this.#missing = missing === null || this.#missing === null ? null : this.#missing + missing
  }

  /** Undefined: nothing is lost. */
  get gap(): Gap | undefined {
    if (this.#to === undefined) return undefined
    return { from: formatPosition(this.#after), to: formatPosition(this.#to), missing: this.#missing }
  }
}
