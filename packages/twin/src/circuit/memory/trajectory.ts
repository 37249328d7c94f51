import { commonPeriod, type Leg, type Source, type SourceLaw } from '../branch.ts'
import { type Flow, joined, voltsOf } from '../node/bounds.ts'
import { type LegOf, meanOf } from '../node/mean.ts'
import { type Drive, Forced, propagatorOf } from './forced.ts'
import { scaled } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { periods, windows } from './pieces.ts'
import type { Propagator } from './propagator.ts'
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
  readonly #system: MemorySystem
  /** The node without its moving sources and without its memories. */
  readonly #rest: Flow
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** The next one-time change of a source. */
  readonly #untilMs: number
  readonly #start: readonly number[]
  readonly #averaged: readonly Source[]
  readonly #average: Average | undefined
  readonly #pieceOf: (atMs: number) => StatePiece
  /** Cached step responses by legs. */
  readonly #stepResponses: { readonly legs: readonly Leg[]; readonly forced: Forced }[] = []
  /** Cached propagators by resistance. */
  readonly #propagators = new Map<number, Propagator>()
  #next: Trajectory | undefined

  /** `averaged` sources count by their mean. */
  constructor(
    system: MemorySystem,
    rest: Flow,
    sources: readonly Source[],
    fromMs: number,
    start: readonly number[],
    averaged: readonly Source[] = [],
  ) {
    this.#system = system
    this.#rest = rest
    this.#sources = sources
    this.#fromMs = fromMs
    this.#start = start
    this.#averaged = averaged
    this.#average = this.#averagedWith([])
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
    return new Trajectory(this.#system, this.#rest, sources, this.#fromMs, this.#start, averaged)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#nextPart()
    return part
  }

  #nextPart(): Trajectory {
    if (this.#next !== undefined) return this.#next
    const end = this.#pieceOf(this.#untilMs).stateAt(this.#untilMs)
    this.#next = new Trajectory(this.#system, this.#rest, this.#sources, this.#untilMs, end, this.#averaged)
    return this.#next
  }

  #strategy(moving: readonly Source[]): (atMs: number) => StatePiece {
    const fromMs = this.#fromMs
    if (moving.every((source) => source.lawAt(fromMs).untilMs === Number.POSITIVE_INFINITY)) return this.#only()
    const periodMs = commonPeriod(moving)
    if (periodMs === Number.POSITIVE_INFINITY) return this.#windows(moving)
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
    let lengthMs = Math.max(GONE_TIME_CONSTANTS / this.#system.fadesPerMs, MAX_PERIODS * shortestMs)
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

  #averagedWith(fast: readonly Source[]): Average | undefined {
    const all = [...this.#averaged, ...fast]
    return all.length === 0 ? undefined : new Average(all, this.#fromMs)
  }

  #solve(atMs: number, start: readonly number[], slow = this.#sources, fast = this.#average): StatePiece {
    const laws = slow.map((source) => source.lawAt(atMs))
    const endMs = atMs < this.#untilMs ? this.#untilMs : Number.POSITIVE_INFINITY
    const untilMs = Math.min(endMs, ...laws.map((law) => law.untilMs))
    const legs = slow.map((source) => source.legAt(atMs))
    const isStepped = fast === undefined && slow.every((source) => source.isStepped)
    const forced = isStepped ? this.#stepResponse(legs, laws) : this.#forced(this.#drive(legs, laws, fast))
    return new StatePiece(forced, { fromMs: atMs, untilMs }, start)
  }

  /** The response to a step, cached by legs. */
  #stepResponse(legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    const known = this.#stepResponses.find((response) => response.legs.every((leg, index) => leg === legs[index]))
    if (known !== undefined) return known.forced
    const forced = this.#forced(this.#drive(legs, laws, undefined))
    this.#stepResponses.push({ legs, forced })
    if (this.#stepResponses.length > MAX_KEPT) this.#stepResponses.shift()
    return forced
  }

  #forced(drive: Drive): Forced {
    const known = this.#propagators.get(drive.ohms)
    const propagator = known ?? propagatorOf(this.#system, drive.ohms)
    if (known === undefined && this.#propagators.size < MAX_KEPT) this.#propagators.set(drive.ohms, propagator)
    return new Forced(this.#system, drive, propagator)
  }

  #drive(legs: readonly Leg[], laws: readonly SourceLaw[], fast: Average | undefined): Drive {
    let { siemens, amps } = this.#rest
    let ampsPerMs = 0
    for (const [index, { volts, voltsPerMs }] of laws.entries()) {
      const ohms = legs[index]?.ohms ?? Number.POSITIVE_INFINITY
      siemens += 1 / ohms
      amps += volts / ohms
      ampsPerMs += voltsPerMs / ohms
    }
    const { ohms, volts } = fast === undefined ? openCircuit({ siemens, amps }) : fast.openCircuit({ siemens, amps })
    const sines = laws.flatMap(({ sine }, index) =>
      sine === undefined
        ? []
        : [{ ...sine, amplitude: (sine.amplitude * ohms) / (legs[index]?.ohms ?? Number.POSITIVE_INFINITY) }],
    )
    return { ohms, volts, voltsPerMs: ampsPerMs * ohms, sines }
  }
}

/** The voltage of a node without its memories, and the resistance seen by them. */
interface OpenCircuit {
  readonly ohms: number
  readonly volts: number
}

function openCircuit({ siemens, amps }: Flow): OpenCircuit {
  return { ohms: 1 / siemens, volts: amps / siemens }
}

/** The mean effect of fast sources on a node. */
class Average {
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** By the conductance of the slow sources. */
  readonly #known = new Map<number, { readonly ohms: number; readonly fastVolts: number }>()

  constructor(sources: readonly Source[], fromMs: number) {
    this.#sources = sources
    this.#fromMs = fromMs
  }

  openCircuit({ siemens, amps }: Flow): OpenCircuit {
    const known = this.#known.get(siemens) ?? this.#with(siemens)
    if (this.#known.size < MAX_KEPT) this.#known.set(siemens, known)
    return { ohms: known.ohms, volts: amps * known.ohms + known.fastVolts }
  }

  #with(siemens: number) {
    const flow = (legOf: LegOf): Flow => this.#sources.map(legOf).reduce(joined, { siemens, amps: 0 })
    const ohms = this.#mean((legOf) => 1 / flow(legOf).siemens)
    return { ohms, fastVolts: this.#mean((legOf) => voltsOf(flow(legOf))) }
  }

  #mean(of: (legOf: LegOf) => number): number {
    const at = (ms: number): number => of((source) => source.legAt(ms))
    return meanOf(this.#sources, this.#fromMs, { at, with: of, isFlat: this.#sources.every((source) => source.isStepped) })
  }
}
