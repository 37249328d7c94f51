import type { Matrix } from './matrix.ts'
import { identity, plus, power, scaled, times } from './matrix.ts'
import type { StatePiece } from './state-piece.ts'

/** Solves the stretch of time that begins at a moment, from a state on. */
type Solve = (atMs: number, start: readonly number[]) => StatePiece

/** Pieces of a node on which everything has the same period: what a period does to the memories is one matrix. */
export function periods(fromMs: number, periodMs: number, start: readonly number[], solve: Solve): (atMs: number) => StatePiece {
  let ofPeriod: Matrix | undefined
  const walk = (atMs: number, state: readonly number[], untilMs: number): StatePiece => {
    let piece = solve(atMs, state)
    while (piece.untilMs <= untilMs) piece = solve(piece.untilMs, piece.stateAt(piece.untilMs))
    return piece
  }
  const endOf = (state: readonly number[]): readonly number[] => {
    const endMs = fromMs + periodMs
    return walk(fromMs, state, endMs).stateAt(endMs)
  }
  let last: StatePiece | undefined
  return (atMs) => {
    const cycle = Math.max(0, Math.floor((atMs - fromMs) / periodMs))
    if (last !== undefined && last.untilMs <= atMs && atMs < last.untilMs + periodMs)
      last = walk(last.untilMs, last.stateAt(last.untilMs), atMs)
    else if (cycle === 0) last = walk(fromMs, start, atMs)
    else {
      ofPeriod ??= affine(start.length, endOf)
      const state = times(power(ofPeriod, cycle), [...start, 1]).slice(0, start.length)
      last = walk(Math.min(atMs, fromMs + cycle * periodMs), state, atMs)
    }
    return last
  }
}

/** A map of the form x ↦ A × x + b as one matrix, on (x, 1). */
function affine(size: number, map: (x: readonly number[]) => readonly number[]): Matrix {
  const zero = Array.from({ length: size }, () => 0)
  const shift = map(zero)
  const columns = identity(size).map((unit) => plus(map(unit), scaled(shift, -1)))
  return [...zero.map((_, row) => [...columns.map((column) => column[row] ?? 0), shift[row] ?? 0]), [...zero, 1]]
}

export interface Windows {
  readonly fromMs: number
  readonly lengthMs: number
  readonly start: readonly number[]
  readonly solve: Solve
}

/** Pieces of a node that never repeats, each followed from the beginning of the window before its own, where `before` knows the state. */
export function windows(
  { fromMs, lengthMs, start, solve }: Windows,
  before: (start: readonly number[], atMs: number) => readonly number[],
): (atMs: number) => StatePiece {
  let number = -1
  let pieces: StatePiece[] = []
  return (atMs) => {
    const window = Math.max(0, Math.floor((atMs - fromMs) / lengthMs) - 1)
    if (window !== number) {
      const beginMs = fromMs + window * lengthMs
      number = window
      pieces = [solve(beginMs, window === 0 ? start : before(start, beginMs))]
    }
    for (let last = pieces.at(-1); last !== undefined && last.untilMs <= atMs; last = pieces.at(-1))
      pieces.push(solve(last.untilMs, last.stateAt(last.untilMs)))
    return pieces.findLast((piece) => piece.fromMs <= atMs) ?? solve(fromMs, start)
  }
}
