import type { Leg, Source, SourceLaw } from '../branch.ts'
import { commonPeriod } from '../branch.ts'
import type { Flow } from '../node/bounds.ts'
import { meanOf } from '../node/mean.ts'
import type { Drive } from './forced.ts'
import { Forced, propagatorOf } from './forced.ts'
import { scaled } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { periods, windows } from './pieces.ts'
import type { Propagator } from './propagator.ts'
import { StatePiece } from './state-piece.ts'

/**
 * Periods of a source within the time that a memory lasts, where several periods meet: what changes more often counts by its mean, but for
 * so many of its last periods. What that leaves out is less than a percent of the ripple.
 */
const MOST_PERIODS = 64

/** After so many time constants nothing is left of a memory that a double could hold. */
const GONE_TIME_CONSTANTS = 40

/** What is kept for as many combinations of legs. */
const MOST_KEPT = 16

/**
 * What the memories of a node do between two changes of its wiring, from what they were at the start: a pure function of time.
 * Sources of one period are solved for by what a period does, however many have passed. Where several periods meet, and on noise, the
 * time that a memory lasts is looked back at.
 */
export class Trajectory {
  readonly #system: MemorySystem
  /** The node without what moves and without its memories. */
  readonly #rest: Flow
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** Here a source changes for once. */
  readonly #untilMs: number
  readonly #start: readonly number[]
  readonly #look: (atMs: number) => StatePiece
  /** What the memories settle at while the sources show these legs. */
  readonly #answers: { readonly legs: readonly Leg[]; readonly forced: Forced }[] = []
  /** How the memories fade behind resistances. */
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
    this.#look = this.#strategy(sources.filter(({ periodMs }) => periodMs > 0))
  }

  /** The piece that a moment not before the start lies in. */
  pieceAt(atMs: number): StatePiece {
    return Trajectory.#partOf(this, atMs).#look(atMs)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#follower()
    return part
  }

  #follower(): Trajectory {
    if (this.#next !== undefined) return this.#next
    const end = this.#look(this.#untilMs).stateAt(this.#untilMs)
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

  /** One piece for all the time. */
  #only(): () => StatePiece {
    let only: StatePiece | undefined
    return () => (only ??= this.#solve(this.#fromMs, this.#start, []))
  }

  /**
   * What is too fast for the slowest memory counts by its mean over the whole time that this lasts; from there everything is followed
   * exactly over the changes that a faster memory can remember.
   */
  #windows(moving: readonly Source[]): (atMs: number) => StatePiece {
    const changing = moving.filter((source) => source.lawAt(this.#fromMs).untilMs < Number.POSITIVE_INFINITY)
    const shortestMs = Math.min(...changing.map((source) => source.periodMs))
    const longMs = Math.max(GONE_TIME_CONSTANTS / this.#system.fadesPerMs, MOST_PERIODS * shortestMs)
    const fast = changing.filter((source) => source.periodMs * MOST_PERIODS < longMs)
    const roughly = windows(
      { fromMs: this.#fromMs, lengthMs: longMs, start: this.#start, solve: (atMs, start) => this.#solve(atMs, start, fast) },
      (start) => scaled(start, 0),
    )
    if (fast.length === 0) return roughly
    return windows(
      {
        fromMs: this.#fromMs,
        lengthMs: MOST_PERIODS * shortestMs,
        start: this.#start,
        solve: (atMs, start) => this.#solve(atMs, start, []),
      },
      (_, atMs) => roughly(atMs).stateAt(atMs),
    )
  }

  #solve(atMs: number, start: readonly number[], fast: readonly Source[]): StatePiece {
    const slow = fast.length === 0 ? this.#sources : this.#sources.filter((source) => !fast.includes(source))
    const laws = slow.map((source) => source.lawAt(atMs))
    const endMs = atMs < this.#untilMs ? this.#untilMs : Number.POSITIVE_INFINITY
    const untilMs = Math.min(endMs, ...laws.map((law) => law.untilMs))
    const legs = slow.map((source) => source.legAt(atMs))
    const isStepped = fast.length === 0 && slow.every((source) => source.isStepped)
    const forced = isStepped ? this.#answer(legs, laws) : this.#forced(this.#drive(legs, laws, fast, atMs))
    return new StatePiece(forced, { fromMs: atMs, untilMs }, start)
  }

  /** The answer to a step, which is the same for the same legs. */
  #answer(legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    const known = this.#answers.find((answer) => answer.legs.every((leg, index) => leg === legs[index]))
    if (known !== undefined) return known.forced
    const forced = this.#forced(this.#drive(legs, laws, [], 0))
    this.#answers.push({ legs, forced })
    if (this.#answers.length > MOST_KEPT) this.#answers.shift()
    return forced
  }

  #forced(drive: Drive): Forced {
    const known = this.#propagators.get(drive.ohms)
    const propagator = known ?? propagatorOf(this.#system, drive.ohms)
    if (known === undefined && this.#propagators.size < MOST_KEPT) this.#propagators.set(drive.ohms, propagator)
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
    const { ohms, volts } = behind({ siemens, amps }, fast, atMs)
    const sines = laws.flatMap(({ sine }, index) =>
      sine === undefined
        ? []
        : [{ ...sine, amplitude: (sine.amplitude * ohms) / (legs[index]?.ohms ?? Number.POSITIVE_INFINITY) }],
    )
    return { ohms, volts, voltsPerMs: ampsPerMs * ohms, sines }
  }
}

/** The voltage of a node without its memories, and the resistance that they see: the mean over what is too fast for them. */
function behind(slow: Flow, fast: readonly Source[], atMs: number): { ohms: number; volts: number } {
  const ohmsAt = (ms: number): number => 1 / (slow.siemens + fast.reduce((sum, source) => sum + 1 / source.legAt(ms).ohms, 0))
  const fastAmps = (ms: number): number => fast.reduce((sum, source) => sum + source.legAt(ms).volts / source.legAt(ms).ohms, 0)
  const mean = (at: (ms: number) => number): number =>
    meanOf(fast, atMs, { at, isFlat: fast.every((source) => source.isStepped) })
  const ohms = mean(ohmsAt)
  return { ohms, volts: slow.amps * ohms + mean((ms) => fastAmps(ms) * ohmsAt(ms)) }
}
