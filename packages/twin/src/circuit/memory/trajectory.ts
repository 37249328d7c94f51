import { commonPeriod, type Leg, type Source, type SourceLaw } from '../branch.ts'
import type { Flow } from '../node/bounds.ts'
import { meanOf } from '../node/mean.ts'
import { type Drive, Forced, propagatorOf } from './forced.ts'
import { scaled } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { periods, windows } from './pieces.ts'
import type { Propagator } from './propagator.ts'
import { StatePiece } from './state-piece.ts'

/**
 * Limit of a source's periods within the decay time, if there are several periods. A source that changes more often counts by its mean,
 * except for its last periods. The error is less than a percent of the ripple.
 */
const MAX_PERIODS = 64

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
  readonly #pieceOf: (atMs: number) => StatePiece
  /** Cached step responses by legs. */
  readonly #stepResponses: { readonly legs: readonly Leg[]; readonly forced: Forced }[] = []
  /** Cached propagators by resistance. */
  readonly #propagators = new Map<number, Propagator>()
  #next: Trajectory | undefined

  constructor(system: MemorySystem, rest: Flow, sources: readonly Source[], fromMs: number, start: readonly number[]) {
    this.#system = system
    this.#rest = rest
    this.#sources = sources
    this.#fromMs = fromMs
    this.#start = start
    const irregular = sources.filter(({ regularFromMs }) => regularFromMs > fromMs)
    this.#untilMs = Math.min(...irregular.map((source) => source.turnAfter(fromMs)))
    this.#pieceOf = this.#strategy(sources.filter(({ periodMs }) => periodMs > 0))
  }

  /** The piece that contains a moment at or after the start. */
  pieceAt(atMs: number): StatePiece {
    return Trajectory.#partOf(this, atMs).#pieceOf(atMs)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#nextPart()
    return part
  }

  #nextPart(): Trajectory {
    if (this.#next !== undefined) return this.#next
    const end = this.#pieceOf(this.#untilMs).stateAt(this.#untilMs)
    this.#next = new Trajectory(this.#system, this.#rest, this.#sources, this.#untilMs, end)
    return this.#next
  }

  #strategy(moving: readonly Source[]): (atMs: number) => StatePiece {
    const fromMs = this.#fromMs
    if (moving.every((source) => source.lawAt(fromMs).untilMs === Number.POSITIVE_INFINITY)) return this.#only()
    const periodMs = commonPeriod(moving)
    if (periodMs === Number.POSITIVE_INFINITY) return this.#windows(moving)
    return periods({ fromMs, lengthMs: periodMs, start: this.#start, solve: (atMs, start) => this.#solve(atMs, start, []) })
  }

  /** One piece for the whole time. */
  #only(): () => StatePiece {
    let only: StatePiece | undefined
    return () => (only ??= this.#solve(this.#fromMs, this.#start, []))
  }

  /**
   * First, computes a coarse state: sources that are too fast for the slowest memory count by their mean. From there, follows all changes
   * exactly over the time that a faster memory can remember.
   */
  #windows(moving: readonly Source[]): (atMs: number) => StatePiece {
    const changing = moving.filter((source) => source.lawAt(this.#fromMs).untilMs < Number.POSITIVE_INFINITY)
    const shortestMs = Math.min(...changing.map((source) => source.periodMs))
    const longMs = Math.max(GONE_TIME_CONSTANTS / this.#system.fadesPerMs, MAX_PERIODS * shortestMs)
    const fast = changing.filter((source) => source.periodMs * MAX_PERIODS < longMs)
    const coarse = windows(
      { fromMs: this.#fromMs, lengthMs: longMs, start: this.#start, solve: (atMs, start) => this.#solve(atMs, start, fast) },
      (start) => scaled(start, 0),
    )
    if (fast.length === 0) return coarse
    return windows(
      {
        fromMs: this.#fromMs,
        lengthMs: MAX_PERIODS * shortestMs,
        start: this.#start,
        solve: (atMs, start) => this.#solve(atMs, start, []),
      },
      (_, atMs) => coarse(atMs).stateAt(atMs),
    )
  }

  #solve(atMs: number, start: readonly number[], fast: readonly Source[]): StatePiece {
    const slow = fast.length === 0 ? this.#sources : this.#sources.filter((source) => !fast.includes(source))
    const laws = slow.map((source) => source.lawAt(atMs))
    const endMs = atMs < this.#untilMs ? this.#untilMs : Number.POSITIVE_INFINITY
    const untilMs = Math.min(endMs, ...laws.map((law) => law.untilMs))
    const legs = slow.map((source) => source.legAt(atMs))
    const isStepped = fast.length === 0 && slow.every((source) => source.isStepped)
    const forced = isStepped ? this.#stepResponse(legs, laws) : this.#forced(this.#drive(legs, laws, fast, atMs))
    return new StatePiece(forced, { fromMs: atMs, untilMs }, start)
  }

  /** The response to a step, cached by legs. */
  #stepResponse(legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    const known = this.#stepResponses.find((response) => response.legs.every((leg, index) => leg === legs[index]))
    if (known !== undefined) return known.forced
    const forced = this.#forced(this.#drive(legs, laws, [], 0))
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

  #drive(legs: readonly Leg[], laws: readonly SourceLaw[], fast: readonly Source[], atMs: number): Drive {
    let { siemens, amps } = this.#rest
    let ampsPerMs = 0
    for (const [index, { volts, voltsPerMs }] of laws.entries()) {
      const ohms = legs[index]?.ohms ?? Number.POSITIVE_INFINITY
      siemens += 1 / ohms
      amps += volts / ohms
      ampsPerMs += voltsPerMs / ohms
    }
    const { ohms, volts } = openCircuit({ siemens, amps }, fast, atMs)
    const sines = laws.flatMap(({ sine }, index) =>
      sine === undefined
        ? []
        : [{ ...sine, amplitude: (sine.amplitude * ohms) / (legs[index]?.ohms ?? Number.POSITIVE_INFINITY) }],
    )
    return { ohms, volts, voltsPerMs: ampsPerMs * ohms, sines }
  }
}

/** The voltage of a node without its memories, and the resistance seen by them, with the mean of the fast sources. */
function openCircuit(slow: Flow, fast: readonly Source[], atMs: number): { ohms: number; volts: number } {
  const ohmsAt = (ms: number): number => 1 / (slow.siemens + fast.reduce((sum, source) => sum + 1 / source.legAt(ms).ohms, 0))
  const fastAmps = (ms: number): number => fast.reduce((sum, source) => sum + source.legAt(ms).volts / source.legAt(ms).ohms, 0)
  const mean = (at: (ms: number) => number): number =>
    meanOf(fast, atMs, { at, isFlat: fast.every((source) => source.isStepped) })
  const ohms = mean(ohmsAt)
  return { ohms, volts: slow.amps * ohms + mean((ms) => fastAmps(ms) * ohmsAt(ms)) }
}
