import type { Leg, Source } from '../branch.ts'
import { commonPeriod } from '../branch.ts'
import type { Law, Terms } from '../law.ts'
import { FADED_TIME_CONSTANTS } from '../memory/memory-system.ts'
import type { StatePiece } from '../memory/state-piece.ts'
import type { LegOf } from '../node/mean.ts'
import type { Settled } from '../node/solved-node.ts'
import { BentPiece } from './bent-piece.ts'
import { BentTrajectory } from './bent-trajectory.ts'
import { type Bend, firstOutside, type Watched } from './first-outside.ts'
import { GROUND, type Placed } from './impedances.ts'
import type { Polygon } from './polygon.ts'
import { fittingSides, type Ports, withSides } from './sides.ts'

/** A voltage changes the side of a polygon this far beyond its bound, so that rounding cannot move it back. */
const BEYOND_VOLTS = 1e-6
/** Shortest time on one set of sides: 1 ps. */
const LEAST_MS = 1e-9
/**
 * After so many times that each end on the sides before, each next one doubles the least time, up to 50 µs: in a network with time constants 10¹² apart, rounding may put a
 * voltage on either side of a bound.
 */
const TIMES_TOLERATED = 12
const LONGEST_LEAST_MS = 0.05
const OPEN: Leg = { volts: 0, ohms: Number.POSITIVE_INFINITY }

/** What the polygons need from their network. */
export interface BentNetwork {
  readonly fadesPerMs: number
  readonly ports: readonly unknown[]
  portsWith(parts: readonly Placed[], legOf: LegOf, state: readonly number[]): Ports
  pieceWith(legOf: LegOf, during: { fromMs: number; untilMs: number }, start: readonly number[]): StatePiece
  lawBetween(nodes: Pick<Placed, 'from' | 'to'>, atMs: number, legOf: LegOf, piece: StatePiece | undefined, laterMs?: number): Law
}

/** The polygons of a network: between two of their bends the network is linear, so each piece has a formula. */
export class BentCircuit {
  readonly #network: BentNetwork
  readonly #placed: readonly Placed<Polygon>[]
  readonly #polygons: readonly Polygon[]
  readonly #sources: readonly Source[]
  readonly #trajectory: BentTrajectory | undefined
  /** The sides found last: the next ones are near. */
  #near: readonly number[]
  /** The end of the piece found last: its sides, those after its bend, and how long a piece after it is at least. */
  #end:
    | {
        readonly atMs: number
        readonly sides: string
        readonly next: readonly number[]
        readonly times: number
        readonly leastMs: number
      }
    | undefined
  #last: { readonly atMs: number; readonly piece: BentPiece } | undefined

  constructor(
    network: BentNetwork,
    placed: readonly Placed<Polygon>[],
    sources: readonly Source[],
    start: { readonly fromMs: number; readonly state: readonly number[] },
  ) {
    this.#network = network
    this.#placed = placed
    this.#polygons = placed.map(({ branch }) => branch)
    this.#sources = sources
    this.#near = this.#polygons.map((polygon) => polygon.sideAt(0))
    if (network.ports.length === 0) return
    const waves = sources.filter(({ periodMs }) => periodMs > 0)
    this.#trajectory = new BentTrajectory(
      {
        solve: (atMs, state) => this.#pieceAt(atMs, state),
        sources,
        periodMs: commonPeriod(waves),
        shortestMs: Math.min(...waves.map(({ periodMs }) => periodMs)),
      },
      start.fromMs,
      start.state,
    )
  }

  /** The same, but faded as soon as the periods are equal. */
  settled(linear: Settled): Settled {
    const trajectory = this.#trajectory
    return {
      settlesFromMs: linear.settlesFromMs,
      get fadedFromMs() {
        return Math.min(linear.fadedFromMs, trajectory?.repeatsFromMs ?? Number.POSITIVE_INFINITY)
      },
    }
  }

  /** Adds the legs of the polygons that fit these sources and this state. */
  legsWith(legOf: LegOf, state: readonly number[]): LegOf {
    return withSides(legOf, this.#polygons, this.#sidesWith(legOf, state))
  }

  stateAt(atMs: number): readonly number[] {
    if (this.#trajectory === undefined) return []
    const { piece, laterMs } = this.#trajectory.at(atMs)
    return piece.stateAt(atMs - laterMs)
  }

  bendAfter(afterMs: number): number {
    const { piece, laterMs } = this.#at(afterMs)
    return Math.max(piece.untilMs + laterMs, afterMs + LEAST_MS)
  }

  lawOf(node: number, atMs: number): Law {
    const { piece, laterMs } = this.#at(atMs)
    const legOf = withSides((source) => source.legAt(atMs), this.#polygons, piece.sides)
    const laterBy = Math.min(laterMs, atMs - piece.fromMs)
    return this.#network.lawBetween({ from: node, to: GROUND }, atMs, legOf, piece.memory, laterBy)
  }

  /** The law of a row times the memories. */
  memoryLaw(row: readonly number[], atMs: number): Terms | undefined {
    const { piece, laterMs } = this.#at(atMs)
    return piece.memory?.lawOf(row, atMs - Math.min(laterMs, atMs - piece.fromMs))
  }

  #at(atMs: number): { readonly piece: BentPiece; readonly laterMs: number } {
    if (this.#trajectory !== undefined) return this.#trajectory.at(atMs)
    if (this.#last?.atMs !== atMs) this.#last = { atMs, piece: this.#pieceAt(atMs, []) }
    return { piece: this.#last.piece, laterMs: 0 }
  }

  #sidesWith(legOf: LegOf, state: readonly number[]): readonly number[] {
    const open: LegOf = (source) => (this.#polygons.includes(source as Polygon) ? OPEN : legOf(source))
    this.#near = fittingSides(this.#polygons, this.#network.portsWith(this.#placed, open, state), this.#near)
    return this.#near
  }

  /** The piece from a moment on. */
  #pieceAt(fromMs: number, start: readonly number[]): BentPiece {
    const sourceLegOf: LegOf = (source) => source.legAt(fromMs)
    const before = this.#end?.atMs === fromMs ? this.#end : undefined
    const fitting = this.#sidesWith(sourceLegOf, start)
    // On a bound, rounding must not choose the side that was just left.
    const sides = before?.sides === fitting.join(' ') ? before.next : fitting
    const legOf = withSides(sourceLegOf, this.#polygons, sides)
    const turnMs = Math.min(...this.#sources.map((source) => source.turnAfter(fromMs)))
    const memory = this.#trajectory === undefined ? undefined : this.#network.pieceWith(legOf, { fromMs, untilMs: turnMs }, start)
    // From then on nothing moves any more.
    const calmMs = fromMs + FADED_TIME_CONSTANTS / this.#network.fadesPerMs
    const bend = this.#bendOf(
      sides,
      { fromMs, untilMs: turnMs === Number.POSITIVE_INFINITY && memory !== undefined ? calmMs : turnMs },
      legOf,
      memory,
    )
    // Sides that change again and again within nothing but rounding take longer and longer.
    const leastMs = before?.leastMs ?? LEAST_MS
    const untilMs = Math.min(turnMs, Math.max(bend.atMs, fromMs + leastMs))
    const next = sides.map((side, port) => side + (port === bend.port ? bend.step : 0))
    const lengthMs = untilMs - fromMs
    const returns = bend.atMs < fromMs + leastMs || (bend.port >= 0 && before?.sides === next.join(' '))
    const times = returns ? (before?.times ?? 0) + 1 : 0
    const longerMs = times > TIMES_TOLERATED ? Math.min(2 * Math.max(leastMs, lengthMs), LONGEST_LEAST_MS) : LEAST_MS
    this.#end = { atMs: untilMs, sides: sides.join(' '), next, times, leastMs: longerMs }
    return new BentPiece({ fromMs, untilMs, sides, memory })
  }

  /** The first moment at which a polygon leaves its side, and in which direction. */
  #bendOf(
    sides: readonly number[],
    { fromMs, untilMs }: { fromMs: number; untilMs: number },
    legOf: LegOf,
    memory: StatePiece | undefined,
  ): Bend {
    const watched = this.#placed.map(({ branch, from, to }, port): Watched => {
      const [low, high] = branch.rangeOf(sides[port] ?? 0)
      return {
        law: this.#network.lawBetween({ from, to }, fromMs, legOf, memory),
        low: low - BEYOND_VOLTS,
        high: high + BEYOND_VOLTS,
      }
    })
    return firstOutside(watched, { fromMs, untilMs }, memory)
  }
}
