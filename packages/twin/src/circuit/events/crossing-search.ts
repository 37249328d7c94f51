import type { CircuitNode, Settling } from '../analysis/circuit-node.ts'
import { SAME_EDGE_MS } from '../branch.ts'
import { isBeyond, type Side } from './zero-crossing.ts'

/**
 * The result of a search. If found, it happens at `atMs`. Otherwise it does not happen up to `atMs`, so search again then. Infinite: never,
 * unless the node changes.
 */
export interface Moment {
  readonly found: boolean
  readonly atMs: number
}
export const NEVER: Moment = { found: false, atMs: Number.POSITIVE_INFINITY }

/** Edges that a search looks ahead on a node without a period before it returns "not found yet". */
export const LOOK_AHEAD_EDGES = 512
/** More edges than a period may have. */
const EDGES_OF_A_PERIOD = 512
/** Size of a skip while coils and motors settle, as a share of the settling time so far. */
const SKIP_SHARE = 1 / 8
/** Smallest step after a computed moment. */
const MIN_STEP_MS = 1e-15
/** Number of doublings of that step: enough to get past any rounding. */
const MAX_DOUBLINGS = 60

interface Threshold {
  readonly level: number
  readonly side: Side
}

/** Walks along a node from crossing to crossing, over a limited number of edges: fewer where an edge costs more. */
export class CrossingSearch {
  #atMs: number
  #edgesLeft: number

  constructor(
    private readonly node: CircuitNode,
    fromMs: number,
    edges = LOOK_AHEAD_EDGES,
  ) {
    this.#atMs = fromMs
    this.#edgesLeft = edges
  }

  get atMs(): number {
    return this.#atMs
  }

  get isOver(): boolean {
    return this.#edgesLeft <= 0
  }

  /** Walks to the first moment at which the voltage is beyond the level, but not far beyond `untilMs`. The voltage is not beyond it now. */
  next(level: number, side: Side, untilMs = Number.POSITIVE_INFINITY): Moment {
    const { settling } = this.node
    const skipped = settling === undefined ? undefined : this.#skip(settling, { level, side }, untilMs)
    return skipped ?? this.#walk({ level, side }, untilMs)
  }

  #walk(threshold: Threshold, untilMs: number): Moment {
    // A periodic node has shown everything after one period.
    const enoughMs = Math.max(this.#atMs, this.node.regularFromMs) + this.node.periodMs() + SAME_EDGE_MS
    while (this.#edgesLeft > 0) {
      this.#edgesLeft -= this.node.edgeCost
      const edgeMs = this.node.edgeAfter(this.#atMs)
      const atMs = this.node.isStepped ? undefined : this.#crossing(edgeMs, threshold)
      this.#atMs = atMs ?? edgeMs
      if (atMs !== undefined) return { found: true, atMs }
      if (edgeMs === Number.POSITIVE_INFINITY) return NEVER
      if (this.#isBeyond(edgeMs, threshold)) return { found: true, atMs: edgeMs }
      if (edgeMs > enoughMs) return NEVER
      if (edgeMs > untilMs) break
    }
    return { found: false, atMs: this.#atMs }
  }

  /**
   * While coils and motors settle, consecutive periods are nearly equal. Checks only some of them, at growing distances, and searches back
   * for the first match. Returns undefined if there is no match up to the new `atMs`.
   */
  #skip({ fromMs, untilMs: settledMs, periodMs }: Settling, threshold: Threshold, untilMs: number): Moment | undefined {
    const endMs = Math.min(settledMs, untilMs) - periodMs
    let calmMs = this.#atMs
    if (calmMs < fromMs) return undefined
    while (this.#atMs < endMs && this.#edgesLeft > 0) {
      const landedMs = this.#atMs
      const moment = this.#inPeriod(landedMs, periodMs, threshold)
      if (moment.found) return this.#goTo(landedMs > calmMs ? this.#firstOf(calmMs, landedMs, periodMs, threshold) : moment)
      calmMs = landedMs
      const farMs = Math.min((landedMs - fromMs) * SKIP_SHARE, endMs - landedMs)
      this.#atMs = landedMs + Math.max(1, Math.floor(farMs / periodMs)) * periodMs
    }
    if (this.#atMs === calmMs) return undefined
    if (this.#isBeyond(this.#atMs, threshold)) return this.#goTo(this.#firstOf(calmMs, this.#atMs, periodMs, threshold))
    return this.#edgesLeft > 0 ? undefined : { found: false, atMs: this.#atMs }
  }

  /** The crossing in the first period after `calmMs` that has one; the period at `foundMs` has one. */
  #firstOf(calmMs: number, foundMs: number, periodMs: number, threshold: Threshold): Moment {
    let without = 0
    let within = Math.round((foundMs - calmMs) / periodMs)
    while (within - without > 1) {
      const middle = Math.floor((without + within) / 2)
      if (this.#inPeriod(calmMs + middle * periodMs, periodMs, threshold).found) within = middle
      else without = middle
    }
    const moment = this.#inPeriod(calmMs + within * periodMs, periodMs, threshold)
    return moment.found ? moment : { found: true, atMs: foundMs }
  }

  #inPeriod(atMs: number, periodMs: number, threshold: Threshold): Moment {
    if (this.#isBeyond(atMs, threshold)) return { found: true, atMs }
    // Finish a period that was begun.
    const edges = Math.max(this.#edgesLeft, EDGES_OF_A_PERIOD * this.node.edgeCost)
    const walk = new CrossingSearch(this.node, atMs, edges)
    const moment = walk.#walk(threshold, atMs + periodMs)
    this.#edgesLeft -= edges - walk.#edgesLeft
    return moment
  }

  #goTo(moment: Moment): Moment {
    this.#atMs = moment.atMs
    return moment
  }

  #isBeyond(atMs: number, { level, side }: Threshold): boolean {
    return isBeyond(this.node.voltsAt(atMs), level, side)
  }

  /** The first moment before `edgeMs` at which the computed voltage is beyond the level. */
  #crossing(edgeMs: number, threshold: Threshold): number | undefined {
    const solvedMs = this.node.waveformAt(this.#atMs).firstBeyond(this.#atMs, edgeMs, threshold.level, threshold.side)
    if (solvedMs === undefined) return undefined
    let step = 0
    for (let doublings = 0; doublings < MAX_DOUBLINGS && solvedMs + step < edgeMs; doublings++) {
      if (this.#isBeyond(solvedMs + step, threshold)) return solvedMs + step
      step = Math.max(2 * step, Math.abs(solvedMs) * Number.EPSILON, MIN_STEP_MS)
    }
    return undefined
  }
}
