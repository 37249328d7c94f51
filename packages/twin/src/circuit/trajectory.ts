import type { Source } from './branch.ts'
import type { Matrix } from './matrix.ts'
import { identity, plus, power, scaled, times } from './matrix.ts'
import { meanOf } from './mean.ts'
import type { MemorySystem } from './memory-system.ts'
import { FADED_TIME_CONSTANTS } from './memory-system.ts'
import type { Drive } from './state-piece.ts'
import { StatePiece } from './state-piece.ts'

/** Changes of a source within the time that a memory lasts, where several periods meet; what changes more often counts by its mean. */
const MOST_CHANGES = 256

/** The node without what moves and without its memories: conductance, and current that flows into a short. */
export interface Rest {
  readonly siemens: number
  readonly amps: number
}

/**
 * What the memories of a node do between two changes of its wiring, from what they were at the start: a pure function of time.
 * Sources of one period are solved for by what a period does, however many have passed. Where several periods meet, and on noise, the
 * time that a memory lasts is looked back at.
 */
export class Trajectory {
  readonly #system: MemorySystem
  readonly #rest: Rest
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** Here a source changes for once. */
  readonly #untilMs: number
  readonly #start: readonly number[]
  readonly #look: (atMs: number) => StatePiece
  #next: Trajectory | undefined
  #last: StatePiece | undefined

  constructor(system: MemorySystem, rest: Rest, sources: readonly Source[], fromMs: number, start: readonly number[]) {
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
    return Trajectory.#partOf(this, atMs).#pieceAt(atMs)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#follower()
    return part
  }

  #pieceAt(atMs: number): StatePiece {
    const last = this.#last
    if (last !== undefined && last.fromMs <= atMs && atMs < last.untilMs) return last
    this.#last = this.#look(Math.max(atMs, this.#fromMs))
    return this.#last
  }

  #follower(): Trajectory {
    const end = this.#pieceAt(this.#untilMs).stateAt(this.#untilMs)
    this.#next ??= new Trajectory(this.#system, this.#rest, this.#sources, this.#untilMs, end)
    return this.#next
  }

  #strategy(moving: readonly Source[]): (atMs: number) => StatePiece {
    const [first, ...others] = moving
    if (first === undefined || moving.every((source) => source.lawAt(this.#fromMs).untilMs === Number.POSITIVE_INFINITY))
      return () => this.#last ?? this.#solve(this.#fromMs, this.#start, [])
    const together = first.repeats && others.every((source) => source.repeats && source.periodMs === first.periodMs)
    return together ? periods(this.#fromMs, first.periodMs, this.#start, this.#solve.bind(this)) : this.#windows(moving)
  }

  #windows(moving: readonly Source[]): (atMs: number) => StatePiece {
    const lengthMs = FADED_TIME_CONSTANTS / this.#system.fadesPerMs
    const fast = moving.filter(
      (source) => source.periodMs * MOST_CHANGES < lengthMs && source.lawAt(this.#fromMs).untilMs < Number.POSITIVE_INFINITY,
    )
    return windows(this.#fromMs, lengthMs, this.#start, (atMs, start) => this.#solve(atMs, start, fast))
  }

  #solve(atMs: number, start: readonly number[], fast: readonly Source[]): StatePiece {
    const slow = this.#sources.filter((source) => !fast.includes(source)).map((source) => ({ source, law: source.lawAt(atMs) }))
    let { siemens, amps } = this.#rest
    let ampsPerMs = 0
    for (const { source, law } of slow) {
      const { ohms } = source.legAt(atMs)
      siemens += 1 / ohms
      amps += law.volts / ohms
      ampsPerMs += law.voltsPerMs / ohms
    }
    const { ohms, volts } = behind({ siemens, amps }, fast, atMs)
    const sines = slow.flatMap(({ source, law }) =>
      law.sine === undefined ? [] : [{ ...law.sine, amplitude: (law.sine.amplitude * ohms) / source.legAt(atMs).ohms }],
    )
    const drive: Drive = { ohms, volts, voltsPerMs: ampsPerMs * ohms, sines }
    const endMs = atMs < this.#untilMs ? this.#untilMs : Number.POSITIVE_INFINITY
    const untilMs = Math.min(endMs, ...slow.map(({ law }) => law.untilMs))
    return new StatePiece(this.#system, drive, { fromMs: atMs, untilMs }, start)
  }
}

type Solve = (atMs: number, start: readonly number[], fast: readonly Source[]) => StatePiece

/** Pieces of a node on which everything has the same period: what a period does to the memories is one matrix. */
function periods(fromMs: number, periodMs: number, start: readonly number[], solve: Solve): (atMs: number) => StatePiece {
  let ofPeriod: Matrix | undefined
  const walk = (atMs: number, state: readonly number[], untilMs: number): StatePiece => {
    let piece = solve(atMs, state, [])
    while (piece.untilMs <= untilMs) piece = solve(piece.untilMs, piece.stateAt(piece.untilMs), [])
    return piece
  }
  const endOf = (state: readonly number[]): readonly number[] => {
    const endMs = fromMs + periodMs
    return walk(fromMs, state, endMs).stateAt(endMs)
  }
  return (atMs) => {
    const cycle = Math.max(0, Math.floor((atMs - fromMs) / periodMs))
    ofPeriod ??= affine(start.length, endOf)
    const state = cycle === 0 ? start : times(power(ofPeriod, cycle), [...start, 1]).slice(0, start.length)
    return walk(Math.min(atMs, fromMs + cycle * periodMs), state, atMs)
  }
}

/** A map of the form x ↦ A × x + b as one matrix, on (x, 1). */
function affine(size: number, map: (x: readonly number[]) => readonly number[]): Matrix {
  const zero = Array.from({ length: size }, () => 0)
  const shift = map(zero)
  const columns = identity(size).map((unit) => plus(map(unit), scaled(shift, -1)))
  return [...zero.map((_, row) => [...columns.map((column) => column[row] ?? 0), shift[row] ?? 0]), [...zero, 1]]
}

/** Pieces of a node that never repeats: a memory is followed from rest over the time that it lasts, in windows of that length. */
function windows(
  fromMs: number,
  lengthMs: number,
  start: readonly number[],
  solve: (atMs: number, start: readonly number[]) => StatePiece,
): (atMs: number) => StatePiece {
  let number = -1
  let pieces: StatePiece[] = []
  return (atMs) => {
    const window = Math.max(0, Math.floor((atMs - fromMs) / lengthMs) - 1)
    if (window !== number) {
      number = window
      pieces = [solve(fromMs + window * lengthMs, window === 0 ? start : scaled(start, 0))]
    }
    for (let last = pieces.at(-1); last !== undefined && last.untilMs <= atMs; last = pieces.at(-1))
      pieces.push(solve(last.untilMs, last.stateAt(last.untilMs)))
    const found = pieces.findLast((piece) => piece.fromMs <= atMs)
    return found ?? solve(atMs, start)
  }
}

/** The voltage of a node without its memories, and the resistance that they see: the mean over what is too fast for them. */
function behind(slow: Rest, fast: readonly Source[], atMs: number): { ohms: number; volts: number } {
  const ohmsAt = (ms: number): number => 1 / (slow.siemens + fast.reduce((sum, source) => sum + 1 / source.legAt(ms).ohms, 0))
  const fastAmps = (ms: number): number => fast.reduce((sum, source) => sum + source.legAt(ms).volts / source.legAt(ms).ohms, 0)
  const mean = (at: (ms: number) => number): number =>
    meanOf(fast, atMs, { at, isFlat: fast.every((source) => source.isStepped) })
  const ohms = mean(ohmsAt)
  return { ohms, volts: slow.amps * ohms + mean((ms) => fastAmps(ms) * ohmsAt(ms)) }
}
