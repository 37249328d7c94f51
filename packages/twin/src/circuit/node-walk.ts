import type { Side } from './curve.ts'
import { isBeyond } from './curve.ts'
import type { SolvedNode } from './solved-node.ts'
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
/** Smallest step behind a moment that was solved for. */
const LEAST_STEP_MS = 1e-15
/** Doublings of it that lead anywhere: they end where rounding does not matter any more. */
const MOST_DOUBLINGS = 60

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
    // A node that repeats itself has shown everything after one period.
    const enoughMs = Math.max(this.#atMs, this.#node.regularFromMs) + this.#node.periodMs() + SAME_EDGE_MS
    while (this.#edgesLeft > 0) {
      this.#edgesLeft--
      const edgeMs = this.#node.edgeAfter(this.#atMs)
      const atMs = this.#node.isStepped ? undefined : this.#crossing(edgeMs, level, side)
      this.#atMs = atMs ?? edgeMs
      if (atMs !== undefined) return { found: true, atMs }
      if (edgeMs === Number.POSITIVE_INFINITY) return NEVER
      if (isBeyond(this.#node.voltsAt(edgeMs), level, side)) return { found: true, atMs: edgeMs }
      if (edgeMs > enoughMs) return NEVER
      if (edgeMs > untilMs) break
    }
    return { found: false, atMs: this.#atMs }
  }

  /** The first moment before `edgeMs` at which the voltage, as it is computed, is beyond the level. */
  #crossing(edgeMs: number, level: number, side: Side): number | undefined {
    const solvedMs = this.#node.lawAt(this.#atMs).firstBeyond(this.#atMs, edgeMs, level, side)
    if (solvedMs === undefined) return undefined
    let step = 0
    for (let doublings = 0; doublings < MOST_DOUBLINGS && solvedMs + step < edgeMs; doublings++) {
      if (isBeyond(this.#node.voltsAt(solvedMs + step), level, side)) return solvedMs + step
      step = Math.max(2 * step, Math.abs(solvedMs) * Number.EPSILON, LEAST_STEP_MS)
    }
    return undefined
  }
}
