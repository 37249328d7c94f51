import { isReactive, type Shown, type Source, type SourceWaveform, Steady, type Thevenin, type TheveninOf } from '../branch.ts'
import { type Decay, decayPerMs, FADED_TIME_CONSTANTS } from './decay.ts'
import { forcedResponse } from './forced-response.ts'
import { Interval } from './interval.ts'
import { dot, type Matrix, plus, scaled, times, transposed } from './matrix.ts'
import { MatrixExponential } from './matrix-exponential.ts'
import { type Ends, effectOf, expanded, GROUND, NodalMatrix, type Placed, type PlacedPart, type Store } from './nodal-matrix.ts'
import { PiecewiseLinear } from './piecewise-linear.ts'
import { isStore, type Reactive, stateCount } from './reactive.ts'
import { MIN_MS, SegmentChanges } from './segment-changes.ts'
import { type Multiport, withSegments } from './segments.ts'
import { type Place, type StateEquations, Trajectory } from './trajectory.ts'
import { type SineTerm, type Terms, Waveform } from './waveform.ts'

const MS_PER_SECOND = 1000
const OPEN: Thevenin = { volts: 0, ohms: Number.POSITIVE_INFINITY }
const NO_TERMS: Terms = { originMs: 0, constant: 0, slope: 0, sines: [], natural: undefined }

/** Initial states of the reactive branches. */
export interface InitialState {
  readonly fromMs: number
  /** Undefined for 0. */
  readonly of: (port: Reactive) => readonly number[] | undefined
}

export const AT_REST: InitialState = { fromMs: 0, of: () => undefined }

/**
 * Nodes and the branches between them, between two changes of the wiring: a pure function of time. Modified nodal analysis, M × v = J, gives
 * the voltages v. The states x, voltages of capacitors and currents of coils, are sources in J. So the state equations are x' = A x + B u,
 * linear while each piecewise-linear part stays on its segment.
 */
export class Circuit implements StateEquations, Decay {
  readonly sources: readonly Placed<Source>[]
  readonly ports: readonly Placed<Reactive>[]
  /** The sources that are not steady. */
  readonly moving: readonly Source[]
  readonly weights: readonly number[]
  /** Initial states. */
  readonly start: readonly number[]
  readonly #fromMs: number
  readonly #placedMoving: readonly Placed<Source>[]
  readonly #curved: readonly Placed<PiecewiseLinear>[]
  readonly #curves: readonly PiecewiseLinear[]
  readonly #segments: SegmentChanges
  /** Moving sources and piecewise-linear parts. */
  readonly #changing: readonly Placed<Source>[]
  readonly #nodes: number
  readonly #parts: readonly PlacedPart[]
  readonly #stores: readonly Store[]
  /** For each state, what a unit of it adds to J. */
  readonly #effects: Matrix
  /** J without the changing sources and the states. */
  readonly #steady: readonly number[]
  readonly #matrix: NodalMatrix
  readonly #trajectory: Trajectory | undefined
  #fadesPerMs: number | undefined
  #exponentials: Map<Matrix, MatrixExponential> | undefined
  #averages: Map<number, Trajectory> | undefined
  #last: { readonly atMs: number; readonly interval: Interval } | undefined

  constructor(
    readonly size: number,
    placed: readonly Placed[],
    { fromMs, of }: InitialState = AT_REST,
  ) {
    this.sources = placed.filter((each): each is Placed<Source> => !isReactive(each.branch))
    this.ports = placed.filter((each): each is Placed<Reactive> => isReactive(each.branch))
    this.#changing = this.sources.filter(({ branch }) => !(branch instanceof Steady))
    this.#curved = this.#changing.filter((each): each is Placed<PiecewiseLinear> => each.branch instanceof PiecewiseLinear)
    this.#placedMoving = this.#changing.filter(({ branch }) => !(branch instanceof PiecewiseLinear))
    this.moving = this.#placedMoving.map(({ branch }) => branch)
    this.#curves = this.#curved.map(({ branch }) => branch)
    this.#segments = new SegmentChanges(this.#curves)
    const { parts, nodes } = expanded(this.ports, size)
    this.#nodes = nodes
    this.#parts = parts
    this.#stores = parts.filter(isStore).map((part, index) => ({ ...part, own: nodes + index }))
    this.#effects = this.#stores.map((store) => effectOf(store, nodes + this.#stores.length))
    this.weights = this.#stores.map(({ farad, henry }) => farad ?? henry ?? 0)
    const steady = this.sources.flatMap(({ branch, from, to }) =>
      branch instanceof Steady ? [{ ...branch.equivalent, from, to }] : [],
    )
    const resistors = [...steady, ...parts.filter((part) => !isStore(part))]
    const ends = [...Array.from({ length: nodes }, () => 0), ...this.#stores.map(({ volts }) => volts)]
    this.#steady = this.#flows(
      resistors.map(({ volts, ohms, from, to }) => ({ amps: volts / ohms, from, to })),
      ends,
    )
    this.#matrix = new NodalMatrix(nodes, resistors, this.#changing, this.#stores)
    this.#fromMs = fromMs
    this.start = this.ports.flatMap(({ branch }) => fitting(of(branch), branch))
    if (this.hasStates) this.#trajectory = new Trajectory(this, fromMs, this.start)
  }

  get isLinear(): boolean {
    return this.#curved.length === 0
  }

  get hasStates(): boolean {
    return this.ports.length > 0
  }

  get fadesPerMs(): number {
    this.#fadesPerMs ??= Math.min(
      ...this.#matrix.extremes().map((inverse) => decayPerMs(this.#stateMatrix(inverse), this.weights)),
    )
    return this.#fadesPerMs
  }

  /** The first moment from which on all sources repeat. */
  get settlesFromMs(): number {
    return Math.max(this.#fromMs, ...this.moving.map((source) => source.regularFromMs))
  }

  /** From this moment on the initial state has decayed, or all periods are equal: the steady state. */
  get fadedFromMs(): number {
    if (this.#trajectory === undefined) return Number.NEGATIVE_INFINITY
    const decayedMs = this.settlesFromMs + FADED_TIME_CONSTANTS / this.fadesPerMs
    return this.isLinear ? decayedMs : Math.min(decayedMs, this.#trajectory.repeatsFromMs)
  }

  /** The same circuit after everything has settled on steady sources: coils are their resistances, capacitors are open. */
  get settled(): Circuit {
    const conducting = this.#parts.filter(({ farad }) => farad === undefined)
    const placed = conducting.map(({ volts, ohms, from, to }) => ({ branch: new Steady({ volts, ohms }), from, to }))
    return new Circuit(this.#nodes, [...this.sources, ...placed])
  }

  /** The voltages of all nodes while each source shows its equivalent, with these states. */
  voltsWith(theveninOf: TheveninOf, state: readonly number[]): readonly number[] {
    const segments = this.#segments.fitting(() => this.#multiport(theveninOf, state))
    const equivalents = withSegments(theveninOf, this.#curves, segments)
    return times(
      this.#matrix.inverse(equivalents),
      this.#currents((source) => equivalents(source).volts, equivalents, state),
    )
  }

  /** The states at a moment; `averaged` sources count by their mean. */
  stateAt(atMs: number, averaged: readonly Source[] = []): readonly number[] {
    if (this.#trajectory === undefined) return []
    if (averaged.length === 0) return this.#trajectory.stateAt(atMs)
    this.#averages ??= new Map()
    const known = this.#averages.get(averaged.length) ?? new Trajectory(this, this.#fromMs, this.start, averaged)
    this.#averages.set(averaged.length, known)
    return known.stateAt(atMs)
  }

  /** State of one reactive branch; undefined for a branch of another circuit. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    const first = this.#stores.findIndex(({ branch }) => branch === port)
    return first < 0 ? undefined : this.stateAt(atMs).slice(first, first + stateCount(port))
  }

  /** The first moment after `afterMs` at which a part changes its segment; Infinity in a linear circuit. */
  segmentChangeAfter(afterMs: number): number {
    if (this.isLinear) return Number.POSITIVE_INFINITY
    const { interval, laterMs } = this.#placeAt(afterMs)
    return Math.max(interval.untilMs + laterMs, afterMs + MIN_MS)
  }

  /** The waveform of a node's voltage from a moment on, until the next edge; with `held`, while a source shows this equivalent. */
  waveformOf(node: number, atMs: number, held?: Shown): Waveform {
    const place = this.isLinear && !this.hasStates ? undefined : this.#placeAt(atMs)
    const shownBy: TheveninOf = (source) => (source === held?.source ? held.equivalent : source.theveninAt(atMs))
    const theveninOf = withSegments(shownBy, this.#curves, place?.interval.segments ?? [])
    return this.#waveformBetween({ from: node, to: GROUND }, atMs, theveninOf, place, held)
  }

  /** The waveform of the first state of a reactive branch, times a factor. */
  stateWaveform(port: Reactive, factor: number, atMs: number): Waveform {
    const first = this.#stores.findIndex(({ branch }) => branch === port)
    const row = this.#stores.map((_, index) => (index === first ? factor : 0))
    return new Waveform({ ...termsOf(this.#placeAt(atMs), row, atMs), originMs: atMs })
  }

  solve(fromMs: number, start: readonly number[], averaged: readonly Source[]): Interval {
    const theveninOf: TheveninOf = (source) => (averaged.includes(source) ? source.mean : source.theveninAt(fromMs))
    const moving = averaged.length === 0 ? this.moving : this.moving.filter((source) => !averaged.includes(source))
    const waveforms = new Map(moving.map((source) => [source, source.waveformAt(fromMs)]))
    const segments = this.#segments.from(fromMs, () => this.#multiport(theveninOf, start))
    const equivalents = withSegments(theveninOf, this.#curves, segments)
    const solution = this.#solution(equivalents, waveforms)
    if (this.isLinear) {
      const untilMs = Math.min(...[...waveforms.values()].map((waveform) => waveform.untilMs))
      return new Interval(solution, { fromMs, untilMs, segments }, start)
    }
    const turnMs = Math.min(...moving.map((source) => source.turnAfter(fromMs)))
    // Without a turn nothing moves any more from then on.
    const isOpen = turnMs === Number.POSITIVE_INFINITY && this.hasStates
    const calmMs = isOpen ? fromMs + FADED_TIME_CONSTANTS / this.fadesPerMs : turnMs
    const interval = new Interval(solution, { fromMs, untilMs: turnMs, segments }, start)
    const across = this.#curved.map((part) => this.#waveformBetween(part, fromMs, equivalents, { interval, laterMs: 0 }))
    const untilMs = this.#segments.endOf({ fromMs, turnMs, calmMs, segments }, across)
    return new Interval(solution, { fromMs, untilMs, segments }, start)
  }

  #placeAt(atMs: number): Place {
    if (this.#trajectory !== undefined) return this.#trajectory.at(atMs)
    if (this.#last?.atMs !== atMs) this.#last = { atMs, interval: this.solve(atMs, [], []) }
    return { interval: this.#last.interval, laterMs: 0 }
  }

  /** The waveform of the voltage between two nodes. */
  #waveformBetween(ends: Ends, atMs: number, theveninOf: TheveninOf, place: Place | undefined, held?: Shown): Waveform {
    const row = between(this.#matrix.inverse(theveninOf), ends)
    const waveforms = new Map(
      this.moving.filter((source) => source !== held?.source).map((source) => [source, source.waveformAt(atMs)]),
    )
    const currents = this.#currents((source) => waveforms.get(source)?.volts ?? theveninOf(source).volts, theveninOf)
    const terms = termsOf(place, times(this.#effects, row), atMs)
    let slope = terms.slope
    const sines: SineTerm[] = []
    for (const { branch, from, to } of this.#placedMoving) {
      const gain = ((row[from] ?? 0) - (row[to] ?? 0)) / theveninOf(branch).ohms
      const waveform = waveforms.get(branch)
      slope += (waveform?.voltsPerMs ?? 0) * gain
      if (waveform?.sine !== undefined) sines.push({ ...waveform.sine, amplitude: waveform.sine.amplitude * gain })
    }
    return new Waveform({
      ...terms,
      originMs: atMs,
      constant: dot(row, currents) + terms.constant,
      slope,
      sines: [...sines, ...terms.sines].filter(({ amplitude }) => amplitude !== 0),
    })
  }

  /** What the circuit is for its piecewise-linear parts while they do not conduct. */
  #multiport(shownBy: TheveninOf, state: readonly number[]): Multiport {
    const theveninOf: TheveninOf = (source) => (source instanceof PiecewiseLinear ? OPEN : shownBy(source))
    const inverse = this.#matrix.inverse(theveninOf)
    const currents = this.#currents((source) => theveninOf(source).volts, theveninOf, state)
    const rows = this.#curved.map((part) => between(inverse, part))
    return {
      openVolts: rows.map((row) => dot(row, currents)),
      ohms: rows.map((row) => this.#curved.map(({ from, to }) => (row[from] ?? 0) - (row[to] ?? 0))),
    }
  }

  /** J: the current of all sources into each node while they have these voltages, and the effects of the states. */
  #currents(voltsOf: (source: Source) => number, theveninOf: TheveninOf, state: readonly number[] = []): readonly number[] {
    const flows = this.#changing.map(({ branch, from, to }) => ({ amps: voltsOf(branch) / theveninOf(branch).ohms, from, to }))
    return state.reduce(
      (sum, value, index) => plus(sum, scaled(this.#effects[index] ?? [], value)),
      this.#flows(flows, this.#steady),
    )
  }

  #flows(flows: readonly (Ends & { readonly amps: number })[], to: readonly number[] = this.#steady.map(() => 0)): number[] {
    const sums = [...to]
    for (const { amps, from, to: other } of flows) {
      if (from !== GROUND) sums[from] = (sums[from] ?? 0) + amps
      if (other !== GROUND) sums[other] = (sums[other] ?? 0) - amps
    }
    return sums
  }

  /** The solution of the state equations for these waveforms. */
  #solution(theveninOf: TheveninOf, waveforms: ReadonlyMap<Source, SourceWaveform>) {
    const inverse = this.#matrix.inverse(theveninOf)
    const flowOf = (volts: number, { branch, from, to }: Placed<Source>) => ({ amps: volts / theveninOf(branch).ohms, from, to })
    const currents = this.#currents((source) => waveforms.get(source)?.volts ?? theveninOf(source).volts, theveninOf)
    const slopes = this.#flows(this.#placedMoving.map((each) => flowOf(waveforms.get(each.branch)?.voltsPerMs ?? 0, each)))
    const sines = this.#placedMoving.flatMap((each) => {
      const sine = waveforms.get(each.branch)?.sine
      if (sine === undefined) return []
      const { amplitude, radiansPerMs, phase } = sine
      const rates = this.#rates(inverse, this.#flows([flowOf(amplitude, each)]))
      return [{ radiansPerMs, sine: scaled(rates, Math.cos(phase)), cosine: scaled(rates, Math.sin(phase)) }]
    })
    const excitation = { constant: this.#rates(inverse, currents), slope: this.#rates(inverse, slopes), sines }
    const exponential = this.#exponentialOf(inverse)
    return { decay: this, exponential, forced: forcedResponse(excitation, exponential) }
  }

  #exponentialOf(inverse: Matrix): MatrixExponential {
    this.#exponentials ??= new Map()
    const known = this.#exponentials.get(inverse)
    if (known !== undefined) return known
    const exponential = new MatrixExponential(this.#stateMatrix(inverse))
    if (this.#exponentials.size >= NodalMatrix.MAX_KEPT) this.#exponentials.clear()
    this.#exponentials.set(inverse, exponential)
    return exponential
  }

  /** The state equations: how fast J changes each state. Capacitor: C × u' = i. Coil: L × i' = u. */
  #rates(inverse: Matrix, currents: readonly number[]): number[] {
    return this.#stores.map(({ own }, index) => dot(inverse[own] ?? [], currents) / ((this.weights[index] ?? 1) * MS_PER_SECOND))
  }

  /** A: how fast each state (row) changes with each other one. */
  #stateMatrix(inverse: Matrix): Matrix {
    return transposed(this.#effects.map((effect) => this.#rates(inverse, effect)))
  }
}

/** What each entry of J adds to the voltage between two nodes. */
function between(inverse: Matrix, { from, to }: Ends): readonly number[] {
  return to === GROUND ? (inverse[from] ?? []) : plus(inverse[from] ?? [], scaled(inverse[to] ?? [], -1))
}

/** The waveform of a row times the states. */
function termsOf(place: Place | undefined, row: readonly number[], atMs: number): Terms {
  if (place === undefined || row.length === 0) return NO_TERMS
  // Rounding may put the moment just before its interval.
  return place.interval.waveformOf(row, Math.max(atMs - place.laterMs, place.interval.fromMs))
}

/** The initial state of a branch if it has the right size; otherwise 0. */
function fitting(state: readonly number[] | undefined, branch: Reactive): readonly number[] {
  const zero = branch.parts.filter(isStore).map(() => 0)
  return state?.length === zero.length ? state : zero
}
