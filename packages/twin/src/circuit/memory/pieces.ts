import type { Matrix } from './matrix.ts'
import { identity, plus, power, scaled, times } from './matrix.ts'
import type { StatePiece } from './state-piece.ts'

type State = readonly number[]
/** Solves the stretch of time that begins at a moment, from a state on. */
type Solve = (atMs: number, start: State) => StatePiece

/** Time in parts of one length, from a moment on; in each of them memories are followed from its beginning on. */
export interface Parts {
  readonly fromMs: number
  readonly lengthMs: number
  readonly start: State
  readonly solve: Solve
}

/** Periods that are gone through one by one; further away they are leapt over in blocks of as many. */
const PERIODS_OF_A_BLOCK = 64

/** Pieces of a node on which everything has the same period: what a period does to the memories is one matrix. */
export function periods(parts: Parts): (atMs: number) => StatePiece {
  const { fromMs, lengthMs, start, solve } = parts
  let ofPeriod: Matrix | undefined
  let ofBlock: Matrix | undefined
  /** The states at the beginning of the periods of a block, as far as they were asked for; with a 1 behind. */
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

/**
 * Pieces of a node that never repeats: each part of time is followed from the beginning of the one before it, where `before` knows the
 * state.
 */
export function windows(parts: Parts, before: (start: State, atMs: number) => State): (atMs: number) => StatePiece {
  const { fromMs, lengthMs, start } = parts
  return followed(parts, (number) => (number === 0 ? start : before(start, fromMs + number * lengthMs)), 1)
}

/**
 * Follows the part that a moment lies in from its beginning, or from that of an `earlier` one. What it finds depends on the moment alone,
 * to the last digit, not on what was asked before.
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

/** Number of the part, from 0, that a moment lies in. */
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
