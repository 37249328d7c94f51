import { commonPeriod, type Leg, type Source, type SourceLaw } from '../branch.ts'
import type { Forced } from './forced.ts'
import { scaled } from './matrix.ts'
import { periods, windows } from './pieces.ts'
import type { Plant } from './plant.ts'
import { StatePiece } from './state-piece.ts'

/**
 * Periods of a source that are followed exactly, if there are several periods and a memory remembers more of them. Before that, the source
 * counts by its mean. The error is below 0.1 % of the swing that the source alone would cause; up to 2 % for noise and for a source whose
 * resistance changes, as the slow part of noise is missing and a fast memory does not keep its current during a period.
 */
const MAX_PERIODS = 64
/** Sources whose periods differ by at most this factor are followed over the same time. */
const SIMILAR = 2

/** After this many time constants nothing of a memory is left in a double. */
const GONE_TIME_CONSTANTS = 40

/** Number of leg combinations to cache. */
const MAX_KEPT = 16

/**
 * State of a node's memories between two changes of its wiring, from an initial state on: a pure function of time. For sources with a
 * common period it is solved by the effect of one period, for any number of periods. For other sources and noise it looks back by the decay
 * time.
 */
export class Trajectory {
  readonly #plant: Plant
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** The next one-time change of a source. */
  readonly #untilMs: number
  readonly #start: readonly number[]
  readonly #averaged: readonly Source[]
  /** The plant with those sources counting by their mean. */
  readonly #present: Plant
  readonly #pieceOf: (atMs: number) => StatePiece
  /** Cached step responses by legs. */
  readonly #stepResponses: { readonly legs: readonly Leg[]; readonly forced: Forced }[] = []
  #next: Trajectory | undefined

  /** `averaged` sources count by their mean. */
  constructor(
    plant: Plant,
    sources: readonly Source[],
    fromMs: number,
    start: readonly number[],
    averaged: readonly Source[] = [],
  ) {
    this.#plant = plant
    this.#sources = sources
    this.#fromMs = fromMs
    this.#start = start
    this.#averaged = averaged
    this.#present = this.#averagedWith([])
    const irregular = sources.filter(({ regularFromMs }) => regularFromMs > fromMs)
    this.#untilMs = Math.min(...irregular.map((source) => source.turnAfter(fromMs)))
    this.#pieceOf = this.#strategy(sources.filter(({ periodMs }) => periodMs > 0))
  }

  /** The piece that contains a moment at or after the start. */
  pieceAt(atMs: number): StatePiece {
    return Trajectory.#partOf(this, atMs).#pieceOf(atMs)
  }

  /** The same with some sources counting by their mean. */
  averaging(averaged: readonly Source[]): Trajectory {
    const sources = this.#sources.filter((source) => !averaged.includes(source))
    return new Trajectory(this.#plant, sources, this.#fromMs, this.#start, averaged)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#nextPart()
    return part
  }

  #nextPart(): Trajectory {
    if (this.#next !== undefined) return this.#next
    const end = this.#pieceOf(this.#untilMs).stateAt(this.#untilMs)
    this.#next = new Trajectory(this.#plant, this.#sources, this.#untilMs, end, this.#averaged)
    return this.#next
  }

  #strategy(moving: readonly Source[]): (atMs: number) => StatePiece {
    const fromMs = this.#fromMs
    if (moving.every((source) => source.lawAt(fromMs).untilMs === Number.POSITIVE_INFINITY)) return this.#only()
    const periodMs = commonPeriod(moving)
    if (periodMs === Number.POSITIVE_INFINITY || this.#sources.some((source) => rampsOnce(source, fromMs)))
      return this.#windows(moving)
    return periods({ fromMs, lengthMs: periodMs, start: this.#start, solve: (atMs, start) => this.#solve(atMs, start) })
  }

  /** One piece for the whole time. */
  #only(): () => StatePiece {
    let only: StatePiece | undefined
    return () => (only ??= this.#solve(this.#fromMs, this.#start))
  }

  /**
   * First, computes a coarse state: sources that are too fast for the slowest memory count by their mean. From there, follows faster and
   * faster sources over less and less time.
   */
  #windows(moving: readonly Source[]): (atMs: number) => StatePiece {
    const changing = moving.filter((source) => source.lawAt(this.#fromMs).untilMs < Number.POSITIVE_INFINITY)
    const shortestMs = Math.min(...changing.map((source) => source.periodMs))
    let lengthMs = Math.max(GONE_TIME_CONSTANTS / this.#plant.fadesPerMs, MAX_PERIODS * shortestMs)
    let fast = changing.filter((source) => source.periodMs * MAX_PERIODS < lengthMs)
    let level = this.#level(lengthMs, fast, (start) => scaled(start, 0))
    while (fast.length > 0) {
      const coarse = level
      const longestMs = Math.max(...fast.map((source) => source.periodMs))
      lengthMs = MAX_PERIODS * longestMs
      fast = fast.filter((source) => source.periodMs * SIMILAR < longestMs)
      level = this.#level(lengthMs, fast, (_, atMs) => coarse(atMs).stateAt(atMs))
    }
    return level
  }

  #level(
    lengthMs: number,
    fast: readonly Source[],
    before: (start: readonly number[], atMs: number) => readonly number[],
  ): (atMs: number) => StatePiece {
    const slow = fast.length === 0 ? this.#sources : this.#sources.filter((source) => !fast.includes(source))
    const averaged = this.#averagedWith(fast)
    const solve = (atMs: number, start: readonly number[]): StatePiece => this.#solve(atMs, start, slow, averaged)
    return windows({ fromMs: this.#fromMs, lengthMs, start: this.#start, solve }, before)
  }

  #averagedWith(fast: readonly Source[]): Plant {
    const all = [...this.#averaged, ...fast]
    return all.length === 0 ? this.#plant : this.#plant.averaging(all, this.#fromMs)
  }

  #solve(atMs: number, start: readonly number[], slow = this.#sources, plant = this.#present): StatePiece {
    const laws = slow.map((source) => source.lawAt(atMs))
    const endMs = atMs < this.#untilMs ? this.#untilMs : Number.POSITIVE_INFINITY
    const untilMs = Math.min(endMs, ...laws.map((law) => law.untilMs))
    const legs = slow.map((source) => source.legAt(atMs))
    const isStepped = plant === this.#plant && slow.every((source) => source.isStepped)
    const forced = isStepped ? this.#stepResponse(legs, laws) : plant.forced(slow, legs, laws)
    return new StatePiece(forced, { fromMs: atMs, untilMs }, start)
  }

  /** The response to a step, cached by legs. */
  #stepResponse(legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    const known = this.#stepResponses.find((response) => response.legs.every((leg, index) => leg === legs[index]))
    if (known !== undefined) return known.forced
    const forced = this.#plant.forced(this.#sources, legs, laws)
    this.#stepResponses.push({ legs, forced })
    if (this.#stepResponses.length > MAX_KEPT) this.#stepResponses.shift()
    return forced
  }
}

/** Whether a source without a period rises or falls: then no period of the others is like the one before. */
export function rampsOnce(source: Source, atMs: number): boolean {
  return source.periodMs === 0 && source.lawAt(atMs).voltsPerMs !== 0
}
