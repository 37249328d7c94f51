import { comparePositions, formatPosition, type Position } from './position.ts'

/** Records that a reader may have wanted, and that are lost. */
export interface Gap {
  /** None of them is before this id, */
  readonly from: string
  /** and none after this. */
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
    const { boot, sequence } = this.#after
    return { from: formatPosition({ boot, sequence: sequence + 1 }), to: formatPosition(this.#to), missing: this.#missing }
  }
}
