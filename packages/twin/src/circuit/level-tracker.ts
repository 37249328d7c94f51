import type { Alternation } from './branch.ts'
import { highPartsBegun, highPartsEnded } from './branch.ts'
import type { Moment, SolvedNode } from './solved-node.ts'
import { LOOK_AHEAD_EDGES, NEVER, SAME_EDGE_MS } from './solved-node.ts'

/** A level with hysteresis: high above `highVolts`, low below `lowVolts`, between them as it was. */
export interface Band {
  readonly lowVolts: number
  readonly highVolts: number
}

export type Direction = 'rising' | 'falling'

/** Edges walked to count rises on a node with several periodic sources; beyond them the count is extrapolated. */
const MOST_WALKED_EDGES = 4096

/** Follows a level from a moment on, over one unchanged node, without sampling: everything is solved for. */
export class LevelTracker {
  readonly #node: SolvedNode
  readonly #band: Band
  readonly #fromMs: number
  readonly #startsHigh: boolean

  /** `wasHigh` is the level before `fromMs`: it counts while the voltage is inside the band. */
  constructor(node: SolvedNode, band: Band, fromMs: number, wasHigh: boolean) {
    this.#node = node
    this.#band = band
    this.#fromMs = fromMs
    this.#startsHigh = this.#decided(fromMs) ?? wasHigh
  }

  /** The same level on another node, from `atMs` on. */
  movedTo(node: SolvedNode, atMs: number): LevelTracker {
    return new LevelTracker(node, this.#band, atMs, this.isHigh(atMs))
  }

  /** The level at a moment not before the start. */
  isHigh(atMs: number): boolean {
    const now = this.#decided(atMs)
    if (now !== undefined || this.#node.alternations.length === 0) return now ?? this.#startsHigh
    let edge = this.#node.edgeUpTo(atMs)
    for (let edges = 0; edges < LOOK_AHEAD_EDGES && edge > this.#fromMs; edges++) {
      edge = this.#node.edgeUpTo(edge - SAME_EDGE_MS)
      const before = this.#decided(Math.max(edge, this.#fromMs))
      if (before !== undefined) return before
    }
    return this.#startsHigh
  }

  /** The first change of the level in this direction after `afterMs`. */
  next(afterMs: number, direction: Direction): Moment {
    const rising = direction === 'rising'
    if (!this.#canCross()) return this.#settling(afterMs, rising)
    if (this.isHigh(afterMs) !== rising) return this.#search(afterMs, rising)
    const left = this.#search(afterMs, !rising)
    return left.found ? this.#search(left.atMs, rising) : left
  }

  /** How often the level rises in (`afterMs`, `upToMs`]. */
  rises(afterMs: number, upToMs: number): number {
    const [first, ...others] = this.#node.alternations
    if (first === undefined || upToMs <= afterMs) return 0
    if (!this.#canCross()) return Number(this.#happens(this.next(afterMs, 'rising'), upToMs))
    return others.length === 0 ? this.#risesOf(first, afterMs, upToMs) : this.#walkedRises(afterMs, upToMs)
  }

  /** Closed form for a single source, which swings over the whole band. */
  #risesOf(source: Alternation, afterMs: number, upToMs: number): number {
    const parts = this.#isHighAt(this.#node.voltsWith(() => source.high)) === true ? highPartsBegun : highPartsEnded
    return parts(source, upToMs) - parts(source, afterMs)
  }

  #walkedRises(afterMs: number, upToMs: number): number {
    let rises = 0
    let isHigh = this.isHigh(afterMs)
    let atMs = afterMs
    for (let edges = 0; edges < MOST_WALKED_EDGES; edges++) {
      atMs = this.#node.edgeAfter(atMs)
      if (atMs > upToMs) return rises
      const wasHigh = isHigh
      isHigh = this.#decided(atMs) ?? isHigh
      if (isHigh && !wasHigh) rises++
    }
    return Math.round((rises * (upToMs - afterMs)) / (atMs - afterMs))
  }

  /** Whether the sources reach both sides of the band; if not, the level changes once more at most. */
  #canCross(): boolean {
    if (this.#node.alternations.length === 0) return false
    const { lowest, highest } = this.#node.extremes()
    return lowest < this.#band.lowVolts && highest > this.#band.highVolts
  }

  #settling(afterMs: number, rising: boolean): Moment {
    return this.#node.alternations.length === 0 || this.isHigh(afterMs) === rising || !this.#reaches(rising)
      ? NEVER
      : this.#search(afterMs, rising)
  }

  #reaches(high: boolean): boolean {
    const { lowest, highest } = this.#node.extremes()
    return high ? highest > this.#band.highVolts : lowest < this.#band.lowVolts
  }

  #search(afterMs: number, high: boolean): Moment {
    return this.#node.search(afterMs, (volts) => this.#isHighAt(volts) === high)
  }

  #happens(moment: Moment, upToMs: number): boolean {
    return moment.found && moment.atMs <= upToMs
  }

  #decided(atMs: number): boolean | undefined {
    return this.#isHighAt(this.#node.voltsAt(atMs))
  }

  #isHighAt(volts: number): boolean | undefined {
    if (volts > this.#band.highVolts) return true
    return volts < this.#band.lowVolts ? false : undefined
  }
}
