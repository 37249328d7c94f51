import { type Moment, NEVER, NodeWalk } from '../node/node-walk.ts'
import type { SolvedNode } from '../node/solved-node.ts'
import { Alternation } from './alternation.ts'
import { type Band, decidedBy, lastDecided } from './band.ts'
import { LevelPattern } from './level-pattern.ts'
import { highPartsBegun, highPartsEnded } from './timing.ts'

export type Direction = 'rising' | 'falling'

/** Limit of edges to walk when counting rises on a node with several periodic sources; beyond it the count is extrapolated. */
const MAX_WALKED_EDGES = 4096
/** Position between two edges where no waveform crosses a round level. */
const AWAY_SHARE = 0.381966
/** Up to this many periods are walked one by one. */
const FEW_PERIODS = 16
/** Two alike periods stand for those between them if they are within this share of the time since the last change. */
const NEAR_SHARE = 1 / 2

/** Follows a level on one unchanged node from a moment on. It solves for all changes and does not sample. */
export class LevelTracker {
  readonly #node: SolvedNode
  readonly #band: Band
  readonly #fromMs: number
  readonly #startsHigh: boolean
  /** Set if the level can be computed in closed form at any moment. */
  readonly #pattern: LevelPattern | undefined

  /** `wasHigh` is the level before `fromMs`: it holds while the voltage is inside the band. */
  constructor(node: SolvedNode, band: Band, fromMs: number, wasHigh: boolean) {
    this.#node = node
    this.#band = band
    this.#fromMs = fromMs
    this.#startsHigh = this.#decidedAt(fromMs) ?? wasHigh
    this.#pattern = this.#canCross() ? LevelPattern.of(node, band, fromMs, wasHigh) : undefined
  }

  /** Tracks the same level on another node, from `atMs` on. */
  movedTo(node: SolvedNode, atMs: number): LevelTracker {
    return new LevelTracker(node, this.#band, atMs, this.isHigh(atMs))
  }

  /** The level at a moment not before the start. */
  isHigh(atMs: number): boolean {
    if (this.#pattern !== undefined) return this.#pattern.isHigh(atMs)
    if (this.#node.isSteady) return this.#startsHigh
    return this.#decidedAt(atMs) ?? lastDecided(this.#node, this.#band, this.#fromMs, atMs) ?? this.#startsHigh
  }

  /** The first change of the level in this direction after `afterMs`. */
  next(afterMs: number, direction: Direction): Moment {
    const rising = direction === 'rising'
    if (this.#pattern !== undefined) return this.#pattern.next(afterMs, rising)
    if (this.#node.isSteady || !this.#reaches(rising)) return NEVER
    if (this.isHigh(afterMs) !== rising) return this.#walkTo(new NodeWalk(this.#node, afterMs), rising)
    if (!this.#reaches(!rising)) return NEVER
    const left = this.#walkTo(new NodeWalk(this.#node, afterMs), !rising)
    return left.found ? this.#walkTo(new NodeWalk(this.#node, left.atMs), rising) : left
  }

  /** How often the level rises in (`afterMs`, `upToMs`]. */
  rises(afterMs: number, upToMs: number): number {
    if (upToMs <= afterMs) return 0
    if (this.#pattern !== undefined) return this.#pattern.rises(afterMs, upToMs)
    if (!this.#canCross()) return Number(this.#happens(this.next(afterMs, 'rising'), upToMs))
    const source = this.#node.onlyMoving
    return source instanceof Alternation ? this.#risesOf(source, afterMs, upToMs) : this.#countedRises(afterMs, upToMs)
  }

  /** Closed form for a single alternating source that crosses the whole band. */
  #risesOf(source: Alternation, afterMs: number, upToMs: number): number {
    const volts = this.#node.voltsWith(afterMs, () => source.high)
    const parts = decidedBy(this.#band, volts) === true ? highPartsBegun : highPartsEnded
    return parts(source, upToMs) - parts(source, afterMs)
  }

  /** On a periodic node, walks only two periods: one that settles the level, and one that represents all further ones. */
  #countedRises(afterMs: number, upToMs: number): number {
    const periodMs = this.#node.periodMs()
    if (periodMs === 0 || periodMs === Number.POSITIVE_INFINITY) return this.#walkedRises(afterMs, upToMs)
    const fromMs = this.#awayFromEdges(Math.max(afterMs, this.#node.regularFromMs) + periodMs)
    const periods = Math.floor((upToMs - fromMs) / periodMs)
    if (periods <= 1) return this.#settlingRises(afterMs, upToMs)
    const inPeriod = this.#walkedRises(fromMs, fromMs + periodMs)
    return this.#settlingRises(afterMs, fromMs) + periods * inPeriod + this.#walkedRises(fromMs, upToMs - periods * periodMs)
  }

  /** While coils and motors settle, consecutive periods are nearly equal: walks only some of them, at growing distances. */
  #settlingRises(afterMs: number, upToMs: number): number {
    const { settling } = this.#node
    if (settling === undefined || afterMs < settling.fromMs) return this.#walkedRises(afterMs, upToMs)
    const { periodMs } = settling
    const fromMs = this.#awayFromEdges(afterMs)
    const periods = Math.floor((upToMs - fromMs) / periodMs)
    if (periods <= FEW_PERIODS) return this.#walkedRises(afterMs, upToMs)
    const startOf = (number: number): number => fromMs + number * periodMs
    const inPeriod = (number: number): number => this.#walkedRises(startOf(number), startOf(number + 1))
    const before = (fromMs - settling.fromMs) / periodMs
    /** Rises in the periods from `first` to before `end`. `ofFirst` and `ofLast` are the rises in the first and the last one. */
    const between = (first: number, ofFirst: number, end: number, ofLast: number): number => {
      const count = end - first
      if (count <= 2) return count === 1 ? ofFirst : ofFirst + ofLast
      const areAlike = ofFirst === ofLast && count <= (before + first) * NEAR_SHARE
      // A rise that drifts into the next period changes the level at which periods begin.
      if (areAlike && this.isHigh(startOf(first)) === this.isHigh(startOf(end))) return count * ofFirst
      const middle = first + Math.floor(count / 2)
      return between(first, ofFirst, middle, inPeriod(middle - 1)) + between(middle, inPeriod(middle), end, ofLast)
    }
    const all = between(0, inPeriod(0), periods, inPeriod(periods - 1))
    return this.#walkedRises(afterMs, fromMs) + all + this.#walkedRises(startOf(periods), upToMs)
  }

  /** A moment a little later, where rounding cannot move an edge to another period. */
  #awayFromEdges(atMs: number): number {
    const edgeMs = this.#node.edgeAfter(atMs)
    return edgeMs + AWAY_SHARE * (this.#node.edgeAfter(edgeMs) - edgeMs)
  }

  #walkedRises(afterMs: number, upToMs: number): number {
    if (upToMs <= afterMs) return 0
    // A client reads the counters of all pins at once: on a costly node, even less is walked.
    const walk = new NodeWalk(this.#node, afterMs, MAX_WALKED_EDGES / this.#node.edgeCost)
    let rises = 0
    let isHigh = this.isHigh(afterMs)
    while (!walk.isOver) {
      const moment = this.#walkTo(walk, !isHigh, upToMs)
      if (moment.atMs > upToMs) return rises
      if (!moment.found) break
      isHigh = !isHigh
      if (isHigh) rises++
    }
    return Math.round((rises * (upToMs - afterMs)) / (walk.atMs - afterMs))
  }

  #walkTo(walk: NodeWalk, high: boolean, untilMs?: number): Moment {
    return high ? walk.next(this.#band.highVolts, 'above', untilMs) : walk.next(this.#band.lowVolts, 'below', untilMs)
  }

  /** Whether the node may reach both sides of the band. If not, the level changes at most once more. */
  #canCross(): boolean {
    return !this.#node.isSteady && this.#reaches(true) && this.#reaches(false)
  }

  #reaches(high: boolean): boolean {
    const [lowest, highest] = this.#node.bounds()
    return high ? highest > this.#band.highVolts : lowest < this.#band.lowVolts
  }

  #happens(moment: Moment, upToMs: number): boolean {
    return moment.found && moment.atMs <= upToMs
  }

  #decidedAt(atMs: number): boolean | undefined {
    return decidedBy(this.#band, this.#node.voltsAt(atMs))
  }
}
