import { commonPeriod, SAME_EDGE_MS, type Source } from '../branch.ts'
import type { Interval } from './interval.ts'
import { identity, Powers, plus, scaled } from './matrix.ts'

type State = readonly number[]

/** The state equations of a circuit. */
export interface StateEquations {
  /** Whether no part has several segments. */
  readonly isLinear: boolean
  /** Lower bound of the decay rate of the states. */
  readonly fadesPerMs: number
  readonly moving: readonly Source[]
  /** The solution from a moment and a state on; `averaged` sources count by their mean. */
  solve(atMs: number, start: State, averaged: readonly Source[]): Interval
}

/** A moment in the solution: `interval` began with this state, or with an equal one `laterMs` ago. */
export interface Place {
  readonly interval: Interval
  readonly laterMs: number
}

/** A number of periods with a linear effect. */
interface Stage {
  readonly first: number
  readonly state: State
  readonly effect: Powers
}

/** Readers look at the present, and searches ahead of it: the intervals of so many parts are kept. */
const PARTS_KEPT = 4
/**
 * With segments, so many periods are followed one by one. After them, the effect of one period counts as linear until their number has grown
 * by this factor. After so many such stages, a million periods, the circuit counts as settled.
 */
const PERIODS_FOLLOWED = 24
const STAGE_GROWTH = 1.25
const MAX_STAGES = 48
/** Two periods whose states differ by less than this share are equal. At time constants of n periods the error is n times as large. */
const EQUAL_SHARE = 1e-7
/** Change of a state, as a share, by which the effect of a period is measured. */
const PROBE_SHARE = 1e-5
/**
 * Without a common period: a source that the states remember for more periods than this counts by its mean before them. The error is below
 * 0.1 % of the swing that the source alone would cause; up to 2 % for noise and for a source whose resistance changes.
 */
const MAX_PERIODS = 64
/** Sources whose periods differ by at most this factor are followed over the same time. */
const SIMILAR = 2
/** After this many time constants nothing of a state is left in a double. */
const GONE_TIME_CONSTANTS = 40
/** With segments and without a common period, so many of the shortest periods (at most twice) are followed, always from the initial state. */
const PERIODS_WITH_SEGMENTS = 128

/**
 * The states of a circuit between two changes of its wiring: a function of the moment only, not of earlier calls. For a periodic system, x
 * after one period is M x + b: a power of this matrix gives any number of periods. With segments this holds near a state only, so it is
 * repeated until two periods are equal: the steady state.
 */
export class Trajectory {
  /** The next one-time change of a source. */
  readonly #untilMs: number
  /** 0 if one interval is the whole solution; infinite without a period. */
  readonly #periodMs: number
  readonly #intervalAt: (atMs: number) => Interval
  /** States at the beginnings of the first periods. */
  readonly #states: State[]
  readonly #stages: Stage[] = []
  /** From this period on all are equal. */
  #equalFrom = Number.POSITIVE_INFINITY
  #next: Trajectory | undefined

  constructor(
    private readonly circuit: StateEquations,
    private readonly fromMs: number,
    private readonly start: State,
    private readonly averaged: readonly Source[] = [],
  ) {
    this.#states = [start]
    const sources = circuit.moving.filter((source) => !averaged.includes(source))
    const once = sources.filter(({ regularFromMs }) => regularFromMs > fromMs)
    this.#untilMs = Math.min(...once.map((source) => source.turnAfter(fromMs)))
    const waves = sources.filter(({ periodMs }) => periodMs > 0)
    const isOne = circuit.isLinear && waves.every((source) => source.waveformAt(fromMs).untilMs === Number.POSITIVE_INFINITY)
    const ramps = sources.some((source) => source.periodMs === 0 && source.waveformAt(fromMs).voltsPerMs !== 0)
    this.#periodMs = isOne || waves.length === 0 ? 0 : ramps ? Number.POSITIVE_INFINITY : commonPeriod(waves)
    this.#intervalAt =
      this.#periodMs === Number.POSITIVE_INFINITY
        ? this.#withoutPeriod(waves)
        : this.#followed(this.#periodMs || Number.MAX_VALUE, averaged, (number) => this.#stateOf(number), 0)
  }

  at(atMs: number): Place {
    return Trajectory.#partOf(this, atMs).#at(atMs)
  }

  static #partOf(first: Trajectory, atMs: number): Trajectory {
    let part = first
    while (atMs >= part.#untilMs) part = part.#following()
    return part
  }

  stateAt(atMs: number): State {
    return stateIn(this.at(atMs), atMs)
  }

  /** The moment from which on all periods are known to be equal; Infinity if unknown. */
  get repeatsFromMs(): number {
    if (this.#untilMs < Number.POSITIVE_INFINITY) return this.#next?.repeatsFromMs ?? Number.POSITIVE_INFINITY
    return this.#periodMs === 0 ? Number.POSITIVE_INFINITY : this.fromMs + this.#equalFrom * this.#periodMs
  }

  #at(atMs: number): Place {
    const isPeriodic = this.#periodMs > 0 && this.#periodMs < Number.POSITIVE_INFINITY
    if (!isPeriodic || this.circuit.isLinear) return { interval: this.#intervalAt(atMs), laterMs: 0 }
    const number = numberOf(atMs, this.fromMs, this.#periodMs)
    if (number > 0) this.#stateOf(number)
    if (number <= this.#equalFrom) return { interval: this.#intervalAt(atMs), laterMs: 0 }
    const laterMs = (number - this.#equalFrom) * this.#periodMs
    // Rounding must not find the interval before an edge that has passed.
    return { interval: this.#intervalAt(atMs - laterMs + SAME_EDGE_MS / 2), laterMs }
  }

  #following(): Trajectory {
    const untilMs = this.#untilMs
    this.#next ??= new Trajectory(this.circuit, untilMs, stateIn(this.#at(untilMs), untilMs), this.averaged)
    return this.#next
  }

  /**
   * Follows the intervals in parts of one length. `stateOf` is the state at the beginning of a part; it is followed from as many parts
   * `earlier`.
   */
  #followed(lengthMs: number, averaged: readonly Source[], stateOf: (number: number) => State, earlier: number) {
    const kept = new Map<number, Interval[]>()
    const solve = (atMs: number, state: State): Interval => this.circuit.solve(atMs, state, averaged)
    return (atMs: number): Interval => {
      const number = Math.max(0, numberOf(atMs, this.fromMs, lengthMs) - earlier)
      const intervals = kept.get(number) ?? [solve(this.fromMs + number * lengthMs, stateOf(number))]
      if (!kept.has(number)) {
        kept.set(number, intervals)
        const [oldest] = kept.keys()
        if (kept.size > PARTS_KEPT && oldest !== undefined) kept.delete(oldest)
      }
      let last = intervals[intervals.length - 1] as Interval
      while (last.untilMs <= atMs) {
        last = solve(last.untilMs, last.stateAt(last.untilMs))
        intervals.push(last)
      }
      return intervals.findLast(({ fromMs }) => fromMs <= atMs) ?? last
    }
  }

  /**
   * First a coarse solution: sources that are too fast for the slowest state count by their mean. From there it follows faster and faster
   * sources over less and less time.
   */
  #withoutPeriod(waves: readonly Source[]): (atMs: number) => Interval {
    const level = (lengthMs: number, fast: readonly Source[], before: (atMs: number) => State) => {
      const stateOf = (number: number): State => (number === 0 ? this.start : before(this.fromMs + number * lengthMs))
      return this.#followed(lengthMs, [...this.averaged, ...fast], stateOf, 1)
    }
    const shortestMs = Math.min(...waves.map(({ periodMs }) => periodMs))
    if (!this.circuit.isLinear) return level(PERIODS_WITH_SEGMENTS * shortestMs, [], () => this.start)
    const changing = waves.filter((source) => source.waveformAt(this.fromMs).untilMs < Number.POSITIVE_INFINITY)
    let lengthMs = Math.max(GONE_TIME_CONSTANTS / this.circuit.fadesPerMs, MAX_PERIODS * shortestMs)
    let fast = changing.filter(({ periodMs }) => periodMs * MAX_PERIODS < lengthMs)
    let found = level(lengthMs, fast, () => scaled(this.start, 0))
    while (fast.length > 0) {
      const coarse = found
      const longestMs = Math.max(...fast.map(({ periodMs }) => periodMs))
      lengthMs = MAX_PERIODS * longestMs
      fast = fast.filter(({ periodMs }) => periodMs * SIMILAR < longestMs)
      found = level(lengthMs, fast, (atMs) => coarse(atMs).stateAt(atMs))
    }
    return found
  }

  /** The state at the beginning of a period. */
  #stateOf(number: number): State {
    if (number === 0) return this.start
    if (this.circuit.isLinear) {
      if (this.#stages.length === 0) {
        const zero = scaled(this.start, 0)
        this.#stages.push({ first: 0, state: this.start, effect: this.#effectAround(zero, this.#after(zero), 1) })
      }
      return this.#stateInStages(number)
    }
    while (this.#states.length <= Math.min(number, PERIODS_FOLLOWED) && this.#equalFrom === Number.POSITIVE_INFINITY)
      this.#states.push(this.#compared(this.#states.length - 1, this.#states[this.#states.length - 1] as State))
    if (number > PERIODS_FOLLOWED) this.#makeStages(number)
    return this.#stateInStages(Math.min(number, this.#equalFrom))
  }

  #stateInStages(number: number): State {
    const known = this.#states[number]
    if (known !== undefined) return known
    const stage = this.#stages.findLast(({ first }) => first <= number)
    if (stage === undefined) return this.start
    return stage.effect.times(number - stage.first, [...stage.state, 1]).slice(0, stage.state.length)
  }

  /** The state after one period that begins with this state. Periods begin alike, so it is computed for the first one. */
  #after(state: State): State {
    const untilMs = this.fromMs + this.#periodMs
    let interval = this.circuit.solve(this.fromMs, state, this.averaged)
    while (interval.untilMs <= untilMs)
      interval = this.circuit.solve(interval.untilMs, interval.stateAt(interval.untilMs), this.averaged)
    return interval.stateAt(untilMs)
  }

  /** The state after a period; notes if it is the same as before it. */
  #compared(number: number, state: State): State {
    const after = this.#after(state)
    const largest = Math.max(...state.map(Math.abs), ...after.map(Math.abs))
    const isEqual = after.every((value, index) => Math.abs(value - (state[index] ?? 0)) <= EQUAL_SHARE * largest)
    if (isEqual) this.#equalFrom = Math.min(this.#equalFrom, number)
    return after
  }

  #makeStages(number: number): void {
    const end = (): number => {
      const last = this.#stages.at(-1)
      return last === undefined ? PERIODS_FOLLOWED : Math.floor(STAGE_GROWTH * last.first)
    }
    for (let first = end(); this.#equalFrom === Number.POSITIVE_INFINITY && first <= number; first = end()) {
      const state = this.#stateInStages(first)
      const after = this.#compared(first, state)
      if (this.#stages.length >= MAX_STAGES) this.#equalFrom = first
      this.#stages.push({
        first,
        state,
        effect: this.#effectAround(state, after, PROBE_SHARE * Math.max(...state.map(Math.abs))),
      })
    }
  }

  /** The effect of one period on states near this one, x ↦ M x + b, as a matrix on (x, 1). */
  #effectAround(state: State, after: State, probe: number): Powers {
    const columns = identity(state.length).map((unit) =>
      scaled(plus(this.#after(plus(state, scaled(unit, probe))), scaled(after, -1)), 1 / probe),
    )
    const rows = state.map((_, row) => columns.map((column) => column[row] ?? 0))
    const shift = rows.map(
      (row, index) => (after[index] ?? 0) - row.reduce((sum, value, column) => sum + value * (state[column] ?? 0), 0),
    )
    return new Powers([...rows.map((row, index) => [...row, shift[index] ?? 0]), [...state.map(() => 0), 1]])
  }
}

function stateIn({ interval, laterMs }: Place, atMs: number): State {
  return interval.stateAt(atMs - laterMs)
}

/** Number of the part that contains a moment, from 0. */
function numberOf(atMs: number, fromMs: number, lengthMs: number): number {
  const number = Math.max(0, Math.floor((atMs - fromMs) / lengthMs))
  return number > 0 && fromMs + number * lengthMs > atMs ? number - 1 : number
}
