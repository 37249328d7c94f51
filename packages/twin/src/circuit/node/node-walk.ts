import type { Side } from '../curve.ts'
import { isBeyond } from '../curve.ts'
import type { Settling, SolvedNode } from './solved-node.ts'
import { SAME_EDGE_MS } from './solved-node.ts'

/**
 * The result of a search. Found: it happens at `atMs`. Otherwise it does not happen up to `atMs` (infinite: never, unless the node
 * changes), so look again then.
 */
export interface Moment {
  readonly found: boolean
  readonly atMs: number
}
export const NEVER: Moment = { found: false, atMs: Number.POSITIVE_INFINITY }

/** Edges that a search looks ahead on a node that does not repeat itself before it says "look again". */
export const LOOK_AHEAD_EDGES = 512
/** More edges than a period may hold. */
const EDGES_OF_A_PERIOD = 512
/** A leap while coils and motors settle, in parts of the time that they have been doing so. */
const LEAP_SHARE = 1 / 8
/** Smallest step behind a moment that was solved for. */
const LEAST_STEP_MS = 1e-15
/** Doublings of it that lead anywhere: they end where rounding does not matter any more. */
const MOST_DOUBLINGS = 60

interface Wanted {
  readonly level: number
  readonly side: Side
}

/** Goes along a node from crossing to crossing, in bounded work: over so many edges at most. */
export class NodeWalk {
  readonly #node: SolvedNode
  #atMs: number
  #edgesLeft: number

  constructor(node: SolvedNode, fromMs: number, edges = LOOK_AHEAD_EDGES) {
    this.#node = node
    this.#atMs = fromMs
    this.#edgesLeft = edges
  }

  get atMs(): number {
    return this.#atMs
  }

  get isOver(): boolean {
    return this.#edgesLeft <= 0
  }

  /** Goes on to the first moment at which the voltage is beyond the level, which it is not now, but not far beyond `untilMs`. */
  next(level: number, side: Side, untilMs = Number.POSITIVE_INFINITY): Moment {
    const { settling } = this.#node
    const leapt = settling === undefined ? undefined : this.#leap(settling, { level, side }, untilMs)
    return leapt ?? this.#walk({ level, side }, untilMs)
  }

  #walk(wanted: Wanted, untilMs: number): Moment {
    // A node that repeats itself has shown everything after one period.
    const enoughMs = Math.max(this.#atMs, this.#node.regularFromMs) + this.#node.periodMs() + SAME_EDGE_MS
    while (this.#edgesLeft > 0) {
      this.#edgesLeft--
      const edgeMs = this.#node.edgeAfter(this.#atMs)
      const atMs = this.#node.isStepped ? undefined : this.#crossing(edgeMs, wanted)
      this.#atMs = atMs ?? edgeMs
      if (atMs !== undefined) return { found: true, atMs }
      if (edgeMs === Number.POSITIVE_INFINITY) return NEVER
      if (this.#isBeyond(edgeMs, wanted)) return { found: true, atMs: edgeMs }
      if (edgeMs > enoughMs) return NEVER
      if (edgeMs > untilMs) break
    }
    return { found: false, atMs: this.#atMs }
  }

  /**
   * While coils and motors settle, each period is nearly like the one before it: some are looked at, further and further apart, and where
   * one of them shows what is wanted, the first that does. Undefined: nothing, as far as `atMs` is now.
   */
  #leap({ fromMs, untilMs: settledMs, periodMs }: Settling, wanted: Wanted, untilMs: number): Moment | undefined {
    const endMs = Math.min(settledMs, untilMs) - periodMs
    let calmMs = this.#atMs
    if (calmMs < fromMs) return undefined
    while (this.#atMs < endMs && this.#edgesLeft > 0) {
      const landedMs = this.#atMs
      const moment = this.#inPeriod(landedMs, periodMs, wanted)
      if (moment.found) return this.#goTo(landedMs > calmMs ? this.#firstOf(calmMs, landedMs, periodMs, wanted) : moment)
      calmMs = landedMs
      const farMs = Math.min((landedMs - fromMs) * LEAP_SHARE, endMs - landedMs)
      this.#atMs = landedMs + Math.max(1, Math.floor(farMs / periodMs)) * periodMs
    }
    if (this.#atMs === calmMs) return undefined
    if (this.#isBeyond(this.#atMs, wanted)) return this.#goTo(this.#firstOf(calmMs, this.#atMs, periodMs, wanted))
    return this.#edgesLeft > 0 ? undefined : { found: false, atMs: this.#atMs }
  }

  /** The crossing in the first period behind `calmMs` that has one; the one at `foundMs` has. */
  #firstOf(calmMs: number, foundMs: number, periodMs: number, wanted: Wanted): Moment {
    let without = 0
    let within = Math.round((foundMs - calmMs) / periodMs)
    while (within - without > 1) {
      const middle = Math.floor((without + within) / 2)
      if (this.#inPeriod(calmMs + middle * periodMs, periodMs, wanted).found) within = middle
      else without = middle
    }
    const moment = this.#inPeriod(calmMs + within * periodMs, periodMs, wanted)
    return moment.found ? moment : { found: true, atMs: foundMs }
  }

  #inPeriod(atMs: number, periodMs: number, wanted: Wanted): Moment {
    if (this.#isBeyond(atMs, wanted)) return { found: true, atMs }
    // A period that was begun is looked at to its end.
    const edges = Math.max(this.#edgesLeft, EDGES_OF_A_PERIOD)
    const walk = new NodeWalk(this.#node, atMs, edges)
    const moment = walk.#walk(wanted, atMs + periodMs)
    this.#edgesLeft -= edges - walk.#edgesLeft
    return moment
  }

  #goTo(moment: Moment): Moment {
    this.#atMs = moment.atMs
    return moment
  }

  #isBeyond(atMs: number, { level, side }: Wanted): boolean {
    return isBeyond(this.#node.voltsAt(atMs), level, side)
  }

  /** The first moment before `edgeMs` at which the voltage, as it is computed, is beyond the level. */
  #crossing(edgeMs: number, wanted: Wanted): number | undefined {
    const solvedMs = this.#node.lawAt(this.#atMs).firstBeyond(this.#atMs, edgeMs, wanted.level, wanted.side)
    if (solvedMs === undefined) return undefined
    let step = 0
    for (let doublings = 0; doublings < MOST_DOUBLINGS && solvedMs + step < edgeMs; doublings++) {
      if (this.#isBeyond(solvedMs + step, wanted)) return solvedMs + step
      step = Math.max(2 * step, Math.abs(solvedMs) * Number.EPSILON, LEAST_STEP_MS)
    }
    return undefined
  }
}
