import { seededRandom } from '@slotwire/core'
import { UNCONNECTED_SEED } from '../../settings/quantities.ts'

/** Pressing or releasing a button. */
export interface ButtonMove {
  readonly atMs: number
  readonly pressed: boolean
  /** How many moves there were before: each bounces differently. */
  readonly number: number
}

/** Initial state of a contact, and its moves since then. */
export interface PressHistory {
  readonly pressedAtFirst: boolean
  /** In order of time; the last one may be in the future. */
  readonly moves: readonly ButtonMove[]
}

/** Moves it at `atMs`, `nowMs` or later, and cancels moves after now. Drops moves that are long past. */
export function moved(history: PressHistory, pressed: boolean, nowMs: number, atMs = nowMs): PressHistory {
  const past = history.moves.filter((move) => move.atMs <= nowMs)
  const number = (past.at(-1)?.number ?? -1) + 1
  const [last] = past.slice(-1)
  const recent: PressHistory = {
    pressedAtFirst: last === undefined ? history.pressedAtFirst : !last.pressed,
    moves: past.slice(-1),
  }
  if (isPressed(recent, nowMs) === pressed) return recent
  return { ...recent, moves: [...recent.moves, { atMs, pressed, number }] }
}

export function isPressed({ pressedAtFirst, moves }: PressHistory, atMs: number): boolean {
  return moves.findLast((move) => move.atMs <= atMs)?.pressed ?? pressedAtFirst
}

export interface Bounce {
  /** How often the contact opens again. */
  readonly bounces: number
  readonly bounceMs: number
  readonly seed?: number
}

/** Separates the seeds of consecutive moves. */
const SEED_STEP = 0x9e3779b9
/** The bouncing time has one equal part for each move of the contact. This share at both ends of a part has no move. */
const MARGIN = 0.1

/** Times of the contact's moves, ascending. A new press or release ends the bouncing of the one before. */
export function contactMoves(closedAtFirst: boolean, buttonMoves: readonly ButtonMove[], bounce: Bounce): number[] {
  const found: number[] = []
  let closed = closedAtFirst
  for (const [index, move] of buttonMoves.entries()) {
    const untilMs = buttonMoves[index + 1]?.atMs ?? Number.POSITIVE_INFINITY
    for (const { atMs, isClosed } of bouncing(move, bounce)) {
      if (atMs >= untilMs) break
      if (isClosed !== closed) found.push(atMs)
      closed = isClosed
    }
  }
  return found
}

function bouncing({ atMs, pressed, number }: ButtonMove, { bounces, bounceMs, seed = UNCONNECTED_SEED }: Bounce) {
  const random = seededRandom(seed + number * SEED_STEP)
  const parts = 2 * bounces
  const back = Array.from({ length: parts }, (_, part) => ({
    atMs: atMs + ((part + MARGIN + random() * (1 - 2 * MARGIN)) / parts) * bounceMs,
    isClosed: part % 2 === 0 ? !pressed : pressed,
  }))
  return [{ atMs, isClosed: pressed }, ...back]
}
