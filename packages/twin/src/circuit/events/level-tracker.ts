import type { CircuitNode } from '../analysis/circuit-node.ts'
import { type Band, decidedBy, lastDecided, tolerant } from './band.ts'
import { CrossingSearch, LOOK_AHEAD_EDGES, type Moment, NEVER } from './crossing-search.ts'
import { FastWave, type Zone } from './fast-wave.ts'

export type Direction = 'rising' | 'falling'

/** Limit of edges to walk, or of zones, when counting rises; beyond it the count is extrapolated. */
const MAX_WALKED_EDGES = 4096
/** Position between two edges where no wave crosses a round level. */
const AWAY_SHARE = 0.381966
/** Just after a turn of the fast wave, as a share of its period: there its voltage decides the level. */
const AFTER_TURN_SHARE = 1e-3
/** Within so many periods of the fast wave everything happens that happens in each of them. */
const PERIODS_THAT_SHOW_ALL = 3
/** Up to this many periods are walked one by one. */
const FEW_PERIODS = 16
/** Two alike periods stand for those between them if they are within this share of the time since the last change. */
const NEAR_SHARE = 1 / 2

/** What a walk along the node has found. */
interface Walked {
  readonly atMs: number
  readonly isHigh: boolean
  readonly rises: number
  /** Whether the walk ended because the wanted level began. */
  readonly found: boolean
  readonly isOver: boolean
}

/** Where a walk begins and ends; `wanted` ends it earlier, at the first change to this level. */
interface Stretch {
  readonly fromMs: number
  readonly wasHigh: boolean
  readonly toMs: number
  /** Whether a change exactly at `toMs` belongs to it. */
  readonly isClosed?: boolean | undefined
  readonly edges?: number
  readonly wanted?: boolean | undefined
}

/** Follows a level on one unchanged node from a moment on. It solves for all changes and does not sample. */
export class LevelTracker {
  readonly #givenBand: Band
  readonly #band: Band
  readonly #startsHigh: boolean
  readonly #fast: FastWave | undefined
  /** Whether the node may reach a level above the band, and one below it. If it can reach only one side, the level changes at most once. */
  readonly #canBeHigh: boolean
  readonly #canBeLow: boolean

  /** `wasHigh` is the level before `fromMs`: it holds while the voltage is inside the band. */
  constructor(
    private readonly node: CircuitNode,
    band: Band,
    private readonly fromMs: number,
    wasHigh: boolean,
  ) {
    this.#givenBand = band
    this.#band = tolerant(band)
    this.#startsHigh = this.#decidedAt(fromMs) ?? wasHigh
    const [lowest, highest] = node.isSteady ? [this.#band.lowVolts, this.#band.highVolts] : node.bounds()
    this.#canBeHigh = highest > this.#band.highVolts
    this.#canBeLow = lowest < this.#band.lowVolts
    this.#fast = this.#canBeHigh || this.#canBeLow ? FastWave.of(node, this.#band) : undefined
  }

  /** Tracks the same level on another node, from `atMs` on. */
  movedTo(node: CircuitNode, atMs: number): LevelTracker {
    return new LevelTracker(node, this.#givenBand, atMs, this.isHigh(atMs))
  }

  /** The level at a moment not before the start. */
  isHigh(atMs: number): boolean {
    if (!this.#canBeHigh && !this.#canBeLow) return this.#startsHigh
    return this.#decidedAt(atMs) ?? this.#lastDecided(atMs) ?? this.#startsHigh
  }

  /** The first change of the level in this direction after `afterMs`. */
  next(afterMs: number, direction: Direction): Moment {
    const rising = direction === 'rising'
    if (!(rising ? this.#canBeHigh : this.#canBeLow)) return NEVER
    const isHigh = this.isHigh(afterMs)
    if (isHigh === rising && !(rising ? this.#canBeLow : this.#canBeHigh)) return NEVER
    if (this.#fast !== undefined) {
      const all = { fromMs: afterMs, wasHigh: isHigh, toMs: Number.POSITIVE_INFINITY, wanted: rising, edges: LOOK_AHEAD_EDGES }
      const { found, atMs } = this.#walkZones(this.#fast, all)
      return { found, atMs }
    }
    if (isHigh !== rising) return this.#walkTo(new CrossingSearch(this.node, afterMs), rising)
    const left = this.#walkTo(new CrossingSearch(this.node, afterMs), !rising)
    return left.found ? this.#walkTo(new CrossingSearch(this.node, left.atMs), rising) : left
  }

  /** How often the level rises in (`afterMs`, `upToMs`]. */
  rises(afterMs: number, upToMs: number): number {
    if (upToMs <= afterMs) return 0
    if (!this.#canBeHigh || !this.#canBeLow) {
      const { found, atMs } = this.next(afterMs, 'rising')
      return Number(found && atMs <= upToMs)
    }
    return this.#countedRises(afterMs, upToMs)
  }

  /** Follows the level from zone to zone. */
  #walkZones(fast: FastWave, { fromMs, wasHigh, toMs, isClosed, edges = MAX_WALKED_EDGES, wanted }: Stretch): Walked {
    let [atMs, isHigh, rises] = [fromMs, wasHigh, 0]
    for (let zones = 0; zones < edges && atMs < Number.POSITIVE_INFINITY; zones++) {
      const zone = fast.zoneAt(atMs)
      const isLast = zone.untilMs > toMs
      const part = { fromMs: atMs, wasHigh: isHigh, toMs: isLast ? toMs : zone.untilMs, isClosed: isLast && isClosed, wanted }
      const walked = this.#walkZone(fast, zone, part)
      rises += walked.rises
      isHigh = walked.isHigh
      if (walked.found || isLast) return { ...walked, rises }
      atMs = zone.untilMs
    }
    return { atMs, isHigh, rises, found: false, isOver: true }
  }

  /** A zone in which the level changes in each period makes one rise per period; in any other one it changes at most once. */
  #walkZone({ wave }: FastWave, { reachesHigh, reachesLow }: Zone, stretch: Stretch): Walked {
    const { fromMs, toMs, wanted } = stretch
    const allMs = fromMs + PERIODS_THAT_SHOW_ALL * wave.periodMs
    if (toMs <= allMs) return this.#walk(stretch)
    if (wanted !== undefined || !reachesHigh || !reachesLow) return this.#walk({ ...stretch, toMs: allMs })
    const turnMs = wave.turnAfter(fromMs + wave.periodMs) + AFTER_TURN_SHARE * wave.periodMs
    const periods = Math.floor((toMs - turnMs) / wave.periodMs)
    const first = this.#walk({ ...stretch, toMs: turnMs, isClosed: false })
    const last = this.#walk({ ...stretch, fromMs: turnMs + periods * wave.periodMs, wasHigh: first.isHigh })
    return { ...last, rises: first.rises + periods + last.rises }
  }

  /** Follows the level from change to change. */
  #walk({ fromMs, wasHigh, toMs, isClosed = false, edges = MAX_WALKED_EDGES, wanted }: Stretch): Walked {
    let isHigh = this.#decidedAt(fromMs) ?? wasHigh
    let rises = Number(isHigh && !wasHigh)
    if (isHigh !== wasHigh && isHigh === wanted) return { atMs: fromMs, isHigh, rises, found: true, isOver: false }
    // A client reads the counters of all pins at once: on a costly node, even less is walked.
    const walk = new CrossingSearch(this.node, fromMs, edges / this.node.edgeCost)
    while (!walk.isOver) {
      const moment = this.#walkTo(walk, !isHigh, toMs)
      if (moment.atMs > toMs || (moment.atMs === toMs && !isClosed))
        return { atMs: toMs, isHigh, rises, found: false, isOver: false }
      if (!moment.found) break
      isHigh = !isHigh
      if (isHigh) rises++
      if (isHigh === wanted) return { atMs: moment.atMs, isHigh, rises, found: true, isOver: false }
    }
    return { atMs: walk.atMs, isHigh, rises, found: false, isOver: true }
  }

  /** The level that was determined last since the start. */
  #lastDecided(atMs: number): boolean | undefined {
    const fast = this.#fast
    if (fast === undefined) return lastDecided(this.node, this.#band, this.fromMs, atMs)
    let endMs = atMs
    for (let edges = 0; edges < LOOK_AHEAD_EDGES; edges++) {
      const startMs = Math.max(this.fromMs, fast.slowEdgeUpTo(endMs))
      const decided = this.#lastInZones(fast, startMs, endMs)
      if (decided !== undefined || startMs <= this.fromMs) return decided
      endMs = Math.max(this.fromMs, startMs - AFTER_TURN_SHARE * fast.wave.periodMs)
    }
    return undefined
  }

  /** The same between two edges of the slow sources. */
  #lastInZones(fast: FastWave, fromMs: number, toMs: number): boolean | undefined {
    let decided: boolean | undefined
    for (let atMs = fromMs, zones = 0; atMs <= toMs && zones < LOOK_AHEAD_EDGES; zones++) {
      const { untilMs, reachesHigh, reachesLow } = fast.zoneAt(atMs)
      const endMs = Math.min(untilMs, toMs)
      const nearMs = Math.max(atMs, endMs - PERIODS_THAT_SHOW_ALL * fast.wave.periodMs)
      if (reachesHigh || reachesLow) decided = lastDecided(this.node, this.#band, nearMs, endMs) ?? decided
      atMs = untilMs
    }
    return decided
  }

  /** On a periodic node, walks only two periods: one that settles the level, and one that represents all further ones. */
  #countedRises(afterMs: number, upToMs: number): number {
    const periodMs = this.node.periodMs()
    if (periodMs === 0 || periodMs === Number.POSITIVE_INFINITY) return this.#walkedRises(afterMs, upToMs)
    const fromMs = this.#awayFromEdges(Math.max(afterMs, this.node.regularFromMs) + periodMs)
    const periods = Math.floor((upToMs - fromMs) / periodMs)
    if (periods <= 1) return this.#settlingRises(afterMs, upToMs)
    const inPeriod = this.#walkedRises(fromMs, fromMs + periodMs)
    return this.#settlingRises(afterMs, fromMs) + periods * inPeriod + this.#walkedRises(fromMs + periods * periodMs, upToMs)
  }

  /** While states settle, consecutive periods are nearly equal: walks only some of them, at growing distances. */
  #settlingRises(afterMs: number, upToMs: number): number {
    const { settling } = this.node
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
    const edgeMs = this.node.edgeAfter(atMs)
    return edgeMs + AWAY_SHARE * (this.node.edgeAfter(edgeMs) - edgeMs)
  }

  #walkedRises(fromMs: number, toMs: number): number {
    if (toMs <= fromMs) return 0
    const stretch = { fromMs, wasHigh: this.isHigh(fromMs), toMs, isClosed: true }
    const { atMs, rises, isOver } = this.#fast === undefined ? this.#walk(stretch) : this.#walkZones(this.#fast, stretch)
    return isOver ? Math.round((rises * (toMs - fromMs)) / (atMs - fromMs)) : rises
  }

  #walkTo(walk: CrossingSearch, high: boolean, untilMs?: number): Moment {
    return high ? walk.next(this.#band.highVolts, 'above', untilMs) : walk.next(this.#band.lowVolts, 'below', untilMs)
  }

  #decidedAt(atMs: number): boolean | undefined {
    return decidedBy(this.#band, this.node.voltsAt(atMs))
  }
}
