import { identity, type Matrix, plus, power, scaled, times } from './matrix.ts'
import type { StatePiece } from './state-piece.ts'

type State = readonly number[]
/** Solves the interval that begins at a moment with a state. */
type Solve = (atMs: number, start: State) => StatePiece

/** Time from `fromMs` on, in parts of equal length. In each part, states are computed from its beginning. */
export interface Parts {
  readonly fromMs: number
  readonly lengthMs: number
  readonly start: State
  readonly solve: Solve
}

/** Number of periods in a block. Within a block, periods are computed one by one; whole blocks are skipped. */
const PERIODS_OF_A_BLOCK = 64

/** Pieces of a node whose sources have a common period: one matrix describes the effect of a period on the memories. */
export function periods(parts: Parts): (atMs: number) => StatePiece {
  const { fromMs, lengthMs, start, solve } = parts
  let ofPeriod: Matrix | undefined
  let ofBlock: Matrix | undefined
  /** States at the beginning of the periods of the current block, as far as computed; each with a 1 appended. */
  let block = -1
  let states: State[] = []
  const endOf = (state: State): State => {
    let piece = solve(fromMs, state)
    while (piece.untilMs <= fromMs + lengthMs) piece = solve(piece.untilMs, piece.stateAt(piece.untilMs))
    return piece.stateAt(fromMs + lengthMs)
  }
  return followed(parts, (number) => {
    if (number === 0) return start
    ofPeriod ??= affine(start.length, endOf)
    ofBlock ??= power(ofPeriod, PERIODS_OF_A_BLOCK)
    const inBlock = Math.floor(number / PERIODS_OF_A_BLOCK)
    if (inBlock !== block) {
      block = inBlock
      states = [times(power(ofBlock, block), [...start, 1])]
    }
    const index = number % PERIODS_OF_A_BLOCK
    for (let last = states.at(-1); last !== undefined && states.length <= index; last = states.at(-1))
      states.push(times(ofPeriod, last))
    return (states[index] ?? start).slice(0, start.length)
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
function followed(
  { fromMs, lengthMs, solve }: Parts,
  stateOf: (number: number) => State,
  earlier = 0,
): (atMs: number) => StatePiece {
  let present = -1
  let pieces: StatePiece[] = []
  return (atMs) => {
    const number = Math.max(0, numberOf(atMs, fromMs, lengthMs) - earlier)
    if (number !== present) {
      present = number
      pieces = [solve(fromMs + number * lengthMs, stateOf(number))]
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
