import { boolean, integer } from '@slotwire/contract'
import { seededRandom } from '@slotwire/core'
import type { OptionsOf } from '../../settings/kind.ts'
import { inMs, inOhms, inVolts, seedField, UNCONNECTED_SEED } from '../../settings/quantities.ts'
import { Source, type Thevenin } from '../branch.ts'

/** How a contact bounces. `bounces`: the meaning of their number. */
export const bounceFields = (bounces: string) => ({
  bounces: integer({ min: 0, max: 100, description: bounces }),
  bounceMs: inMs('how long it bounces', { min: 0.01, max: 1000 }),
  seed: seedField,
})

type BounceValues = OptionsOf<ReturnType<typeof bounceFields>, 'seed'>

/** The contact of a relay. */
export const contactFields = {
  pullInVolts: inVolts('it pulls in when its coil carries more current than at this voltage', { min: 0.1, max: 100 }),
  releaseVolts: inVolts('it releases when its coil carries less current than at this voltage', { min: 0.05, max: 100 }),
  operateMs: inMs('time until the contact moves after the coil has pulled in', { min: 0.01, max: 1000 }),
  releaseMs: inMs('time until the contact moves back after the coil has released', { min: 0.01, max: 1000 }),
  normallyClosed: boolean({ description: 'whether the contact is closed while the coil is off' }),
  contactOhms: inOhms('resistance of the closed contact', { max: 1000 }),
  ...bounceFields('number of times that the contact opens again when it closes, and closes again when it opens'),
}

/** Settings of a relay that move its contact. */
export type RelayValues = OptionsOf<typeof contactFields, 'seed'> & { readonly ohms: number; readonly volts: number }

/** A contact that opens and closes a number of times, then stays. */
export class Contacts extends Source {
  readonly extremes: readonly Thevenin[]
  override readonly regularFromMs: number
  readonly #open: Thevenin

  /** `closed` is the equivalent while the contact is closed; the contact moves at each of the ascending times `movesMs`. */
  constructor(
    private readonly closed: Thevenin,
    private readonly closedAtFirst: boolean,
    /** Ascending. */
    private readonly movesMs: readonly number[],
  ) {
    super()
    this.#open = { volts: closed.volts, ohms: Number.POSITIVE_INFINITY }
    this.extremes = movesMs.length > 0 ? [this.#open, closed] : [closedAtFirst ? closed : this.#open]
    this.regularFromMs = movesMs.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  isClosedAt(atMs: number): boolean {
    return this.#movesUpTo(atMs) % 2 === 0 ? this.closedAtFirst : !this.closedAtFirst
  }

  theveninAt(atMs: number): Thevenin {
    return this.isClosedAt(atMs) ? this.closed : this.#open
  }

  override turnAfter(atMs: number): number {
    return this.movesMs[this.#movesUpTo(atMs)] ?? Number.POSITIVE_INFINITY
  }

  override turnUpTo(atMs: number): number {
    return this.movesMs[this.#movesUpTo(atMs) - 1] ?? Number.NEGATIVE_INFINITY
  }

  #movesUpTo(atMs: number): number {
    if (atMs >= this.regularFromMs) return this.movesMs.length
    return this.movesMs.findIndex((moveMs) => moveMs > atMs)
  }
}

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

/** Separates the seeds of consecutive moves. */
const SEED_STEP = 0x9e3779b9
/** The bouncing time has one equal part for each move of the contact. This share at both ends of a part has no move. */
const MARGIN = 0.1

/** Times of the contact's moves, ascending. A new press or release ends the bouncing of the one before. */
export function contactMoves(closedAtFirst: boolean, buttonMoves: readonly ButtonMove[], bounce: BounceValues): number[] {
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

function bouncing({ atMs, pressed, number }: ButtonMove, { bounces, bounceMs, seed = UNCONNECTED_SEED }: BounceValues) {
  const random = seededRandom(seed + number * SEED_STEP)
  const parts = 2 * bounces
  const back = Array.from({ length: parts }, (_, part) => ({
    atMs: atMs + ((part + MARGIN + random() * (1 - 2 * MARGIN)) / parts) * bounceMs,
    isClosed: part % 2 === 0 ? !pressed : pressed,
  }))
  return [{ atMs, isClosed: pressed }, ...back]
}
