import { identity, type Matrix, Powers, plus, scaled } from './matrix.ts'
import type { StatePiece } from './state-piece.ts'

type State = readonly number[]

/** An interval on which the state of the memories is known. */
export interface Stretch {
  readonly fromMs: number
  readonly untilMs: number
  stateAt(atMs: number): State
}

/** Solves the interval that begins at a moment with a state. */
type Solve<Piece> = (atMs: number, start: State) => Piece

/** Readers look at the present, and searches ahead of it: the pieces of so many parts are kept. */
const PARTS_KEPT = 4

/** Time from `fromMs` on, in parts of equal length. In each part, states are computed from its beginning. */
export interface Parts<Piece = StatePiece> {
  readonly fromMs: number
  readonly lengthMs: number
  readonly start: State
  readonly solve: Solve<Piece>
}

/** Pieces of a node whose sources have a common period: one matrix describes the effect of a period on the memories. */
export function periods(parts: Parts): (atMs: number) => StatePiece {
  const { fromMs, lengthMs, start, solve } = parts
  let effect: Powers | undefined
  const endOf = (state: State): State => {
    let piece = solve(fromMs, state)
    while (piece.untilMs <= fromMs + lengthMs) piece = solve(piece.untilMs, piece.stateAt(piece.untilMs))
    return piece.stateAt(fromMs + lengthMs)
  }
  return followed(parts, (number) => {
    if (number === 0) return start
    effect ??= new Powers(affine(start.length, endOf))
    return effect.times(number, [...start, 1]).slice(0, start.length)
  })
}

/** Pieces of a node without a period. Each part is computed from the beginning of the part before it, with the state from `before`. */
export function windows(parts: Parts, before: (start: State, atMs: number) => State): (atMs: number) => StatePiece {
  const { fromMs, lengthMs, start } = parts
  return followed(parts, (number) => (number === 0 ? start : before(start, fromMs + number * lengthMs)), 1)
}

/**
 * Computes the piece of a moment from the beginning of its part, or of an `earlier` part. The result depends on the moment only, to the
 * last digit, not on earlier calls.
 */
export function followed<Piece extends Stretch>(
  { fromMs, lengthMs, solve }: Omit<Parts<Piece>, 'start'>,
  stateOf: (number: number) => State,
  earlier = 0,
): (atMs: number) => Piece {
  const kept = new Map<number, Piece[]>()
  return (atMs) => {
    const number = Math.max(0, numberOf(atMs, fromMs, lengthMs) - earlier)
    const pieces = kept.get(number) ?? [solve(fromMs + number * lengthMs, stateOf(number))]
    if (!kept.has(number)) {
      kept.set(number, pieces)
      const [oldest] = kept.keys()
      if (kept.size > PARTS_KEPT && oldest !== undefined) kept.delete(oldest)
    }
    let last = pieces.at(-1) ?? solve(fromMs, stateOf(0))
    while (last.untilMs <= atMs) {
      last = solve(last.untilMs, last.stateAt(last.untilMs))
      pieces.push(last)
    }
    return pieces.findLast((piece) => piece.fromMs <= atMs) ?? last
  }
}

/** Number of the part that contains a moment, from 0. */
function numberOf(atMs: number, fromMs: number, lengthMs: number): number {
  const number = Math.floor((atMs - fromMs) / lengthMs)
  return fromMs + number * lengthMs > atMs ? number - 1 : number
}

/** A map of the form x ↦ A × x + b as one matrix, on (x, 1). */
function affine(size: number, map: (x: State) => State): Matrix {
  const zero = Array.from({ length: size }, () => 0)
  const shift = map(zero)
  const columns = identity(size).map((unit) => plus(map(unit), scaled(shift, -1)))
  return [...zero.map((_, row) => [...columns.map((column) => column[row] ?? 0), shift[row] ?? 0]), [...zero, 1]]
}
