import { seededRandom } from '@slotwire/core'

/** A finger that presses a button or lets it go. */
export interface FingerMove {
  readonly atMs: number
  readonly pressed: boolean
  /** How many there were before: each bounces in its own way. */
  readonly number: number
}

export interface Bounce {
  /** How often the contact goes back. */
  readonly bounces: number
  readonly bounceMs: number
  readonly seed: number
}

/** Tells the seeds of neighbouring moves apart. */
const SEED_STEP = 0x9e3779b9
/** Of the equal parts of the bouncing time, one for each move of the contact, this much at either end stays without. */
const MARGIN = 0.1

/** The moments at which the contact of a button moves, ascending; a move of the finger ends the bouncing of the one before. */
export function contactMoves(closedAtFirst: boolean, fingerMoves: readonly FingerMove[], bounce: Bounce): number[] {
  const found: number[] = []
  let closed = closedAtFirst
  for (const [index, move] of fingerMoves.entries()) {
    const untilMs = fingerMoves[index + 1]?.atMs ?? Number.POSITIVE_INFINITY
    for (const { atMs, isClosed } of bouncing(move, bounce)) {
      if (atMs >= untilMs) break
      if (isClosed !== closed) found.push(atMs)
      closed = isClosed
    }
  }
  return found
}

function bouncing({ atMs, pressed, number }: FingerMove, { bounces, bounceMs, seed }: Bounce) {
  const random = seededRandom(seed + number * SEED_STEP)
  const parts = 2 * bounces
  const back = Array.from({ length: parts }, (_, part) => ({
    atMs: atMs + ((part + MARGIN + random() * (1 - 2 * MARGIN)) / parts) * bounceMs,
    isClosed: part % 2 === 0 ? !pressed : pressed,
  }))
  return [{ atMs, isClosed: pressed }, ...back]
}
