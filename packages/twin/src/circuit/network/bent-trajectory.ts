import type { Source } from '../branch.ts'
import { identity, Powers, plus, scaled } from '../memory/matrix.ts'
import { followed } from '../memory/pieces.ts'
import { rampsOnce } from '../memory/trajectory.ts'
import { SAME_EDGE_MS } from '../node/solved-node.ts'
import type { BentPiece } from './bent-piece.ts'

type State = readonly number[]

/** How the memories of a network with polygons change from a state on. */
export interface BentSystem {
  readonly solve: (atMs: number, start: State) => BentPiece
  readonly sources: readonly Source[]
  /** Common period of all waves; 0 without waves, infinite without a common period. */
  readonly periodMs: number
  readonly shortestMs: number
}

/** Periods that are followed one by one. After them, the effect of one period counts as linear until their number has grown by this factor. */
const PERIODS_FOLLOWED = 24
const STAGE_GROWTH = 1.25
/** After so many stages the circuit counts as settled. */
const MOST_STAGES = 48
/** Without a common period: parts of this many of the shortest periods, and how many of them are followed before a moment. */
const PERIODS_OF_A_PART = 16
const PARTS_BEFORE = 16
/** Readers look at the present, and searches ahead of it: states of so many beginnings are kept. */
const CHAINS_KEPT = 8
/** Two periods whose states differ by less than this share are equal. */
const EQUAL_SHARE = 1e-7
/** Change of a state, as a share, by which the effect of a period is measured. */
const PROBE_SHARE = 1e-5

/** A number of periods with a linear effect. */
interface Stage {
  readonly first: number
  readonly state: State
  readonly effect: Powers
}

/** The memories of a network with polygons, from an initial state on. It depends on the moment only, not on earlier calls. */
export class BentTrajectory {
  readonly #given: BentSystem
  /** Without a period while a source ramps once. */
  readonly #system: BentSystem
  readonly #fromMs: number
  readonly #start: State
  readonly #partMs: number
  /** The next one-time change of a source. */
  readonly #untilMs: number
  readonly #pieceOf: (atMs: number) => BentPiece
  /** States at the beginnings of the first parts. */
  readonly #states: State[]
  readonly #stages: Stage[] = []
  /** Without a period: states at the beginnings of parts, by the part from which they were computed. */
  readonly #chains = new Map<number, State[]>()
  /** From this part on all are equal. */
  #equalFrom = Number.POSITIVE_INFINITY
  #next: BentTrajectory | undefined

  constructor(system: BentSystem, fromMs: number, start: State) {
    const { sources, shortestMs } = system
    const isRamp = sources.some((source) => rampsOnce(source, fromMs))
    const periodMs = isRamp && system.periodMs > 0 ? Number.POSITIVE_INFINITY : system.periodMs
    this.#given = system
    this.#system = { ...system, periodMs }
    this.#fromMs = fromMs
    this.#start = start
    this.#states = [start]
    this.#untilMs = Math.min(
      ...sources.filter(({ regularFromMs }) => regularFromMs > fromMs).map((source) => source.turnAfter(fromMs)),
    )
    this.#partMs = periodMs === Number.POSITIVE_INFINITY ? PERIODS_OF_A_PART * shortestMs : periodMs || Number.MAX_VALUE
    const parts = { fromMs, lengthMs: this.#partMs, solve: system.solve }
    this.#pieceOf = followed(parts, (number) => this.#stateOf(number))
  }

  /** The piece of a moment, and how much earlier it was computed, because all periods are equal. */
  at(atMs: number): { readonly piece: BentPiece; readonly laterMs: number } {
    return BentTrajectory.#partOf(this, atMs).#at(atMs)
  }

  /** The moment from which on all periods are known to be equal; Infinity if unknown. */
  get repeatsFromMs(): number {
    if (this.#untilMs < Number.POSITIVE_INFINITY) return this.#next?.repeatsFromMs ?? Number.POSITIVE_INFINITY
    return this.#fromMs + this.#equalFrom * this.#partMs
  }

  #at(atMs: number): { readonly piece: BentPiece; readonly laterMs: number } {
    const number = this.#numberOf(atMs)
    if (number > 0 && this.#system.periodMs < Number.POSITIVE_INFINITY) this.#stateOf(number)
    if (number <= this.#equalFrom) return { piece: this.#pieceOf(atMs), laterMs: 0 }
    const laterMs = (number - this.#equalFrom) * this.#partMs
    // Rounding must not find the piece before an edge that has passed.
    return { piece: this.#pieceOf(atMs - laterMs + SAME_EDGE_MS / 2), laterMs }
  }

  static #partOf(first: BentTrajectory, atMs: number): BentTrajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#following()
    return part
  }

  #following(): BentTrajectory {
    this.#next ??= new BentTrajectory(this.#given, this.#untilMs, this.#at(this.#untilMs).piece.stateAt(this.#untilMs))
    return this.#next
  }

  #numberOf(atMs: number): number {
    return Math.max(0, Math.floor((atMs - this.#fromMs) / this.#partMs))
  }

  /** The state after one part that begins with this state. Periods begin alike, so it is computed for the first one. */
  #after(state: State, fromMs: number): State {
    const untilMs = fromMs + this.#partMs
    let piece = this.#system.solve(fromMs, state)
    while (piece.untilMs <= untilMs) piece = this.#system.solve(piece.untilMs, piece.stateAt(piece.untilMs))
    return piece.stateAt(untilMs)
  }

  #stateOf(number: number): State {
    if (number === 0) return this.#start
    if (this.#system.periodMs === Number.POSITIVE_INFINITY) return this.#stateBefore(number)
    while (this.#states.length <= Math.min(number, PERIODS_FOLLOWED) && this.#equalFrom === Number.POSITIVE_INFINITY)
      this.#states.push(this.#compared(this.#states.length - 1, this.#states.at(-1) ?? this.#start))
    if (number >= this.#equalFrom) return this.#stateAtPart(this.#equalFrom)
    if (number > PERIODS_FOLLOWED) this.#stageOf(number)
    return this.#stateAtPart(Math.min(number, this.#equalFrom))
  }

  #stateAtPart(number: number): State {
    const known = this.#states[number]
    if (known !== undefined) return known
    const stage = this.#stages.findLast(({ first }) => first <= number)
    if (stage === undefined) return this.#start
    return stage.effect.times(number - stage.first, [...stage.state, 1]).slice(0, stage.state.length)
  }

  /** The state after a part; notes if it is the same as before it. */
  #compared(number: number, state: State): State {
    const after = this.#after(state, this.#fromMs)
    const largest = Math.max(...state.map(Math.abs), ...after.map(Math.abs))
    const isEqual = after.every((value, index) => Math.abs(value - (state[index] ?? 0)) <= EQUAL_SHARE * largest)
    if (isEqual) this.#equalFrom = Math.min(this.#equalFrom, number)
    return after
  }

  /** Makes the stages up to this number of a period. */
  #stageOf(number: number): void {
    while (this.#equalFrom === Number.POSITIVE_INFINITY && this.#endOfStages() <= number) {
      const first = this.#endOfStages()
      const state = this.#stateAtPart(first)
      const after = this.#compared(first, state)
      if (this.#stages.length >= MOST_STAGES) this.#equalFrom = first
      this.#stages.push({ first, state, effect: this.#effectAround(state, after) })
    }
  }

  #endOfStages(): number {
    const last = this.#stages.at(-1)
    return last === undefined ? PERIODS_FOLLOWED : Math.floor(STAGE_GROWTH * last.first)
  }

  /** The effect of one period on states near this one, as a matrix on (state, 1). */
  #effectAround(state: State, after: State): Powers {
    const largest = Math.max(...state.map(Math.abs))
    const probe = PROBE_SHARE * largest
    const columns = identity(state.length).map((unit) =>
      scaled(plus(this.#after(plus(state, scaled(unit, probe)), this.#fromMs), scaled(after, -1)), 1 / probe),
    )
    const rows = state.map((_, row) => columns.map((column) => column[row] ?? 0))
    const shift = rows.map(
      (row, index) => (after[index] ?? 0) - row.reduce((sum, value, column) => sum + value * (state[column] ?? 0), 0),
    )
    return new Powers([...rows.map((row, index) => [...row, shift[index] ?? 0]), [...state.map(() => 0), 1]])
  }

  /** Without a period, the memories of a part are followed over some parts before it, from a fixed grid on. */
  #stateBefore(number: number): State {
    const first = Math.max(0, (Math.floor(number / PARTS_BEFORE) - 1) * PARTS_BEFORE)
    const states = this.#chains.get(first) ?? [this.#start]
    if (!this.#chains.has(first)) {
      this.#chains.set(first, states)
      const [oldest] = this.#chains.keys()
      if (this.#chains.size > CHAINS_KEPT && oldest !== undefined) this.#chains.delete(oldest)
    }
    for (let part = first + states.length - 1; part < number; part++)
      states.push(this.#after(states.at(-1) ?? this.#start, this.#fromMs + part * this.#partMs))
    return states[number - first] ?? this.#start
  }
}
