import type { Source } from '../branch.ts'
import { LOOK_AHEAD_EDGES, type Moment, NEVER, NodeWalk } from '../node/node-walk.ts'
import { SAME_EDGE_MS, type SolvedNode } from '../node/solved-node.ts'
import { Alternation } from './alternation.ts'
import { type Band, decidedBy, lastDecided, tolerant } from './band.ts'
import { LevelPattern } from './level-pattern.ts'
import { type LevelPieces, type LevelPlan, type Piece, planOf } from './level-pieces.ts'
import { highPartsBegun, highPartsEnded } from './timing.ts'

export type Direction = 'rising' | 'falling'

/** Limit of edges to walk when counting rises on a node with several sources of similar speed; beyond it the count is extrapolated. */
const MAX_WALKED_EDGES = 4096
/** The least share of them for a piece of time. */
const LEAST_SHARE_EDGES = 8
/** A search takes a piece in which much must be followed for so many others. */
const LONG_PIECE = 64
/** So many edges of square waves, whose levels are in a table, cost as much as one edge whose voltage must be computed. */
const STEPPED_EDGES = 32
/** Position between two edges where no waveform crosses a round level. */
const AWAY_SHARE = 0.381966
/** Up to this many periods are walked one by one. */
const FEW_PERIODS = 16
/** Two alike periods stand for those between them if they are within this share of the time since the last change. */
const NEAR_SHARE = 1 / 2

/** Follows a level on one unchanged node from a moment on. It solves for all changes and does not sample. */
export class LevelTracker {
  readonly #node: SolvedNode
  readonly #givenBand: Band
  readonly #plan: LevelPlan
  readonly #fromMs: number
  readonly #startsHigh: boolean
  /** Set if the level can be computed in closed form at any moment. */
  readonly #pattern: LevelPattern | undefined

  /** `wasHigh` is the level before `fromMs`: it holds while the voltage is inside the band. */
  constructor(node: SolvedNode, band: Band, fromMs: number, wasHigh: boolean, plan = planOf(node, tolerant(band))) {
    this.#node = node
    this.#givenBand = band
    this.#plan = plan
    this.#fromMs = fromMs
    this.#startsHigh = this.#decidedAt(fromMs) ?? wasHigh
    this.#pattern = this.#canCross ? LevelPattern.of(node, plan.band, fromMs, wasHigh) : undefined
  }

  /** Tracks the same level on another node, from `atMs` on. */
  movedTo(node: SolvedNode, atMs: number): LevelTracker {
    return new LevelTracker(node, this.#givenBand, atMs, this.isHigh(atMs))
  }

  /** The level at a moment not before the start. */
  isHigh(atMs: number): boolean {
    if (this.#pattern !== undefined) return this.#pattern.isHigh(atMs)
    if (this.#node.isSteady) return this.#startsHigh
    return this.#decidedAt(atMs) ?? this.#lastDecided(atMs) ?? this.#startsHigh
  }

  /** The first change of the level in this direction after `afterMs`. */
  next(afterMs: number, direction: Direction): Moment {
    return this.#next(afterMs, direction === 'rising', Number.POSITIVE_INFINITY)
  }

  /** The same, but not far beyond `untilMs`. */
  #next(afterMs: number, rising: boolean, untilMs: number): Moment {
    if (this.#pattern !== undefined) return this.#pattern.next(afterMs, rising)
    if (!this.#reaches(rising)) return NEVER
    const isHigh = this.isHigh(afterMs)
    if (isHigh === rising && !this.#reaches(!rising)) return NEVER
    const { pieces, stepped } = this.#plan
    if (pieces !== undefined) return this.#nextInPieces(pieces, afterMs, rising, isHigh)
    if (stepped !== undefined) {
      const edges = LOOK_AHEAD_EDGES * STEPPED_EDGES
      const end = stepped.walk({ fromMs: afterMs, wasHigh: isHigh, untilMs, edges }, rising)
      return { found: end.changed, atMs: end.atMs }
    }
    if (isHigh !== rising) return this.#walkTo(new NodeWalk(this.#node, afterMs), rising, untilMs)
    const left = this.#walkTo(new NodeWalk(this.#node, afterMs), !rising, untilMs)
    return left.found ? this.#walkTo(new NodeWalk(this.#node, left.atMs), rising, untilMs) : left
  }

  #nextInPieces(pieces: LevelPieces, afterMs: number, rising: boolean, wasHigh: boolean): Moment {
    // The first period may begin high. What does not happen in the next one never happens.
    const enoughMs = Math.max(afterMs, this.#node.regularFromMs) + 2 * pieces.periodMs
    let atMs = afterMs
    let isHigh = wasHigh
    for (let count = 0; count < LOOK_AHEAD_EDGES && atMs <= enoughMs; ) {
      const piece = pieces.at(atMs)
      count += piece.plan.isLong ? LONG_PIECE : 1
      const part = this.#part(piece, atMs, isHigh)
      if (part.#startsHigh !== isHigh && part.#startsHigh === rising && atMs > afterMs) return { found: true, atMs }
      const endMs = endOf(piece, atMs)
      const moment = part.#next(atMs, rising, endMs)
      if (moment.atMs < endMs || endMs === Number.POSITIVE_INFINITY) return moment
      isHigh = part.isHigh(endMs)
      atMs = piece.untilMs
    }
    return atMs > enoughMs ? NEVER : { found: false, atMs }
  }

  /** How often the level rises in (`afterMs`, `upToMs`]. */
  rises(afterMs: number, upToMs: number): number {
    return this.#rises(afterMs, upToMs, MAX_WALKED_EDGES)
  }

  #rises(afterMs: number, upToMs: number, edges: number): number {
    if (upToMs <= afterMs) return 0
    if (this.#pattern !== undefined) return this.#pattern.rises(afterMs, upToMs)
    if (!this.#canCross) return Number(this.#happens(this.#next(afterMs, true, upToMs), upToMs))
    const source = this.#node.onlyMoving
    if (source instanceof Alternation) return this.#risesOf(source, afterMs, upToMs)
    const { pieces, drifting } = this.#plan
    if (pieces !== undefined) return this.#risesInPieces(pieces, afterMs, upToMs, edges)
    if (drifting !== undefined) return this.#driftingRises(drifting, afterMs, upToMs, edges)
    return this.#countedRises(afterMs, upToMs, edges)
  }

  #risesInPieces(pieces: LevelPieces, afterMs: number, upToMs: number, edges: number): number {
    let rises = 0
    let atMs = afterMs
    let isHigh = this.isHigh(afterMs)
    for (let count = 0; count < edges; count++) {
      const piece = pieces.at(atMs)
      const part = this.#part(piece, atMs, isHigh)
      if (part.#startsHigh && !isHigh) rises++
      const endMs = Math.min(upToMs, endOf(piece, atMs))
      const share = Math.max(LEAST_SHARE_EDGES, (edges * (endMs - atMs)) / (upToMs - afterMs))
      rises += part.#rises(atMs, endMs, share)
      if (piece.untilMs > upToMs) return rises
      isHigh = part.isHigh(endMs)
      atMs = piece.untilMs
    }
    return Math.round((rises * (upToMs - afterMs)) / (atMs - afterMs))
  }

  /** Between two tops or bottoms of a wave that crosses the band in each of its periods, it makes one rise per period. */
  #driftingRises(wave: Source, afterMs: number, upToMs: number, edges: number): number {
    const fromMs = wave.turnAfter(afterMs + wave.periodMs)
    const periods = wave.repeats ? Math.floor((upToMs - fromMs) / wave.periodMs) : 0
    if (periods < 1) return this.#walkedRises(afterMs, upToMs, edges)
    const untilMs = fromMs + periods * wave.periodMs
    return this.#walkedRises(afterMs, fromMs, edges) + periods + this.#walkedRises(untilMs, upToMs, edges)
  }

  #part({ plan }: Piece, fromMs: number, wasHigh: boolean): LevelTracker {
    return new LevelTracker(plan.node, this.#givenBand, fromMs, wasHigh, plan)
  }

  /** The level that was determined last since the start. */
  #lastDecided(atMs: number): boolean | undefined {
    const { node, band, pieces } = this.#plan
    if (!this.#reaches(true) && !this.#reaches(false)) return undefined
    if (pieces === undefined) return lastDecided(node, band, this.#fromMs, atMs)
    const enoughMs = Math.max(this.#node.regularFromMs, atMs - pieces.periodMs)
    let endMs = atMs
    for (let count = 0; count < LOOK_AHEAD_EDGES; count++) {
      const startMs = Math.max(this.#fromMs, pieces.startUpTo(endMs))
      const decided = this.#lastOfPieces(pieces, startMs, endMs)
      if (decided !== undefined || startMs <= this.#fromMs || startMs < enoughMs) return decided
      endMs = Math.max(this.#fromMs, startMs - SAME_EDGE_MS)
    }
    return undefined
  }

  #lastOfPieces(pieces: LevelPieces, fromMs: number, toMs: number): boolean | undefined {
    let decided: boolean | undefined
    for (let atMs = fromMs; atMs <= toMs; ) {
      const piece = pieces.at(atMs)
      const part = this.#part(piece, atMs, false)
      const endMs = Math.min(toMs, endOf(piece, atMs))
      decided = part.#decidedAt(endMs) ?? part.#lastDecided(endMs) ?? decided
      atMs = piece.untilMs
    }
    return decided
  }

  /** Closed form for a single alternating source that crosses the whole band. */
  #risesOf(source: Alternation, afterMs: number, upToMs: number): number {
    const volts = this.#node.voltsWith(afterMs, () => source.high)
    const parts = decidedBy(this.#plan.band, volts) === true ? highPartsBegun : highPartsEnded
    return parts(source, upToMs) - parts(source, afterMs)
  }

  /** On a periodic node, walks only two periods: one that settles the level, and one that represents all further ones. */
  #countedRises(afterMs: number, upToMs: number, edges: number): number {
    const periodMs = this.#node.periodMs()
    if (periodMs === 0 || periodMs === Number.POSITIVE_INFINITY) return this.#walkedRises(afterMs, upToMs, edges)
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

  #walkedRises(afterMs: number, upToMs: number, edges = MAX_WALKED_EDGES): number {
    if (upToMs <= afterMs) return 0
    let rises = 0
    let isHigh = this.isHigh(afterMs)
    const { stepped } = this.#plan
    if (stepped !== undefined) {
      const end = stepped.walk({ fromMs: afterMs, wasHigh: isHigh, untilMs: upToMs, edges: edges * STEPPED_EDGES })
      return Math.round((end.rises * (upToMs - afterMs)) / (end.atMs - afterMs))
    }
    // A client reads the counters of all pins at once: on a costly node, even less is walked.
    const walk = new NodeWalk(this.#node, afterMs, edges / this.#node.edgeCost)
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
    const { band } = this.#plan
    return high ? walk.next(band.highVolts, 'above', untilMs) : walk.next(band.lowVolts, 'below', untilMs)
  }

  /** Whether the node may reach both sides of the band. If not, the level changes at most once more. */
  get #canCross(): boolean {
    return this.#plan.canBeHigh && this.#plan.canBeLow
  }

  #reaches(high: boolean): boolean {
    return high ? this.#plan.canBeHigh : this.#plan.canBeLow
  }

  #happens(moment: Moment, upToMs: number): boolean {
    return moment.found && moment.atMs <= upToMs
  }

  #decidedAt(atMs: number): boolean | undefined {
    return decidedBy(this.#plan.band, this.#node.voltsAt(atMs))
  }
}

/** The end of a piece without its last nanosecond: edges in it belong to the next one. */
function endOf(piece: Piece, fromMs: number): number {
  return Math.max(fromMs, piece.untilMs - SAME_EDGE_MS)
}
