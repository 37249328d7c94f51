import { isReactive, type Source, type SourceWaveform, Steady, type Thevenin } from '../branch.ts'
import { type Excitation, ForcedResponse } from './forced-response.ts'
import { Interval } from './interval.ts'
import { dot, type Matrix } from './matrix.ts'
import { MatrixExponential } from './matrix-exponential.ts'
import { meanTheveninOf, type TheveninOf } from './mean.ts'
import { GROUND, isCapacitor, isPiecewise, isPort, isSource, NodalMatrix, type Placed } from './nodal-matrix.ts'
import { PiecewiseLinear } from './piecewise-linear.ts'
import { type Reactive, voltsPerAmpere } from './reactive.ts'
import { MIN_MS, SegmentChanges } from './segment-changes.ts'
import { firstOutside, type Watched } from './segment-crossing.ts'
import { type Multiport, withSegments } from './segments.ts'
import { decayPerMs, FADED_TIME_CONSTANTS, type StateSpace, stateSpaceOf } from './state-space.ts'
import { type Place, type StateEquations, Trajectory } from './trajectory.ts'
import { type SineTerm, type Terms, Waveform } from './waveform.ts'

/** A voltage leaves its segment this far beyond it, so that rounding cannot move it back. */
const BEYOND_VOLTS = 1e-6
const OPEN: Thevenin = { volts: 0, ohms: Number.POSITIVE_INFINITY }
const NO_TERMS: Terms = { originMs: 0, constant: 0, slope: 0, sines: [], natural: undefined }

/** A equivalent that a source shows. */
export interface Shown {
  readonly source: Source
  readonly equivalent: Thevenin
}

/** Initial states of the reactive branches. */
export interface InitialState {
  readonly fromMs: number
  /** Undefined for 0. */
  readonly of: (port: Reactive) => readonly number[] | undefined
}

export const AT_REST: InitialState = { fromMs: 0, of: () => undefined }

/** A reactive branch for each component of the states, and its number among the capacitors or -1. */
type Owner = Placed<Reactive> & { readonly capacitor: number }

/**
 * Nodes and the branches between them, between two changes of the wiring: a pure function of time. Modified nodal analysis gives the
 * voltages, M × v = J, with the states x of capacitors and coils as sources. Put into the equations of the states they give
 * x' = A x + B u, which is linear while each piecewise-linear part stays on its segment.
 */
export class Circuit implements StateEquations {
  readonly size: number
  readonly sources: readonly Placed<Source>[]
  readonly ports: readonly Placed<Reactive>[]
  readonly placedMoving: readonly Placed<Source>[]
  /** The sources that are not steady. */
  readonly moving: readonly Source[]
  readonly #parts: readonly Placed<PiecewiseLinear>[]
  readonly #curves: readonly PiecewiseLinear[]
  readonly #segments: SegmentChanges
  /** Moving sources and piecewise-linear parts. */
  readonly #changing: readonly Placed<Source>[]
  readonly #capacitors: readonly Placed<Reactive>[]
  /** J without the moving sources: current into each node, then the voltage of each capacitor's other end. */
  readonly #steadyAmps: readonly number[]
  readonly #matrix: NodalMatrix
  readonly #space: StateSpace
  readonly #fromMs: number
  readonly #start: readonly number[]
  readonly #owners: readonly Owner[]
  readonly #trajectory: Trajectory | undefined
  #exponentials: Map<Matrix, MatrixExponential> | undefined
  #means: Map<Source, Thevenin> | undefined
  #averages: Map<number, Trajectory> | undefined
  #last: { readonly atMs: number; readonly interval: Interval } | undefined

  constructor(size: number, placed: readonly Placed[], { fromMs, of }: InitialState = AT_REST) {
    this.size = size
    this.sources = placed.filter(isSource)
    this.ports = placed.filter(isPort)
    this.#changing = this.sources.filter(({ branch }) => !(branch instanceof Steady))
    this.placedMoving = this.#changing.filter((each) => !isPiecewise(each))
    this.moving = this.placedMoving.map(({ branch }) => branch)
    this.#parts = this.#changing.filter(isPiecewise)
    this.#curves = this.#parts.map(({ branch }) => branch)
    this.#segments = new SegmentChanges(this.#curves)
    const capacitors = this.ports.filter(isCapacitor)
    this.#capacitors = capacitors
    const direct = placed.flatMap(({ branch, from, to }) => {
      const equivalent =
        branch instanceof Steady ? branch.equivalent : isReactive(branch) && branch.fadesPerMs > 0 ? branch : undefined
      return equivalent === undefined ? [] : [{ equivalent, from, to }]
    })
    const amps = this.#flows(direct.map(({ equivalent, from, to }) => ({ amps: equivalent.volts / equivalent.ohms, from, to })))
    for (const [index, { branch }] of capacitors.entries()) amps[size + index] = branch.volts
    this.#steadyAmps = amps
    this.#matrix = new NodalMatrix(size, direct, this.#changing, capacitors)
    this.#owners = this.ports.flatMap((port) =>
      port.branch.inputVector.map(() => ({ ...port, capacitor: capacitors.indexOf(port) })),
    )
    this.#fromMs = fromMs
    this.#start = this.ports.flatMap(({ branch }) => fitting(of(branch), branch))
    const space = stateSpaceOf(this.ports.map(({ branch }) => branch))
    this.#space = capacitors.length === 0 ? space : { ...space, fadesPerMs: this.#decayPerMs(space) }
    if (this.hasStates) this.#trajectory = new Trajectory(this, fromMs, this.#start)
  }

  get isLinear(): boolean {
    return this.#parts.length === 0
  }

  get hasStates(): boolean {
    return this.ports.length > 0
  }

  get fadesPerMs(): number {
    return this.#space.fadesPerMs
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

  /** The voltages of all nodes while each source shows its equivalent, with these states. */
  voltsWith(theveninOf: TheveninOf, state: readonly number[]): readonly number[] {
    const equivalents = withSegments(
      theveninOf,
      this.#curves,
      this.#segments.fitting(() => this.#multiport(theveninOf, state)),
    )
    return this.#matrix.of(equivalents).elimination.solved(
      this.#withStates(
        this.#ampsWith((source) => equivalents(source).volts, equivalents),
        state,
      ),
    )
  }

  /** The states at a moment; `averaged` sources count by their mean. */
  stateAt(atMs: number, averaged: readonly Source[] = []): readonly number[] {
    if (this.#trajectory === undefined) return []
    if (averaged.length === 0) return this.#trajectory.stateAt(atMs)
    this.#averages ??= new Map()
    const known = this.#averages.get(averaged.length) ?? new Trajectory(this, this.#fromMs, this.#start, averaged)
    this.#averages.set(averaged.length, known)
    return known.stateAt(atMs)
  }

  /** State of one reactive branch; undefined for a branch of another circuit. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    const first = this.#owners.findIndex(({ branch }) => branch === port)
    return first < 0 ? undefined : this.stateAt(atMs).slice(first, first + port.inputVector.length)
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
    const sourceLegOf: TheveninOf = (source) => (source === held?.source ? held.equivalent : source.theveninAt(atMs))
    const theveninOf = withSegments(sourceLegOf, this.#curves, place?.interval.segments ?? [])
    return this.#waveformBetween({ from: node, to: GROUND }, atMs, theveninOf, place, held)
  }

  /** The waveform of the first state of a reactive branch, times a factor. */
  stateWaveform(port: Reactive, factor: number, atMs: number): Waveform {
    const first = this.#owners.findIndex(({ branch }) => branch === port)
    const row = this.#owners.map((_, index) => (index === first ? factor : 0))
    return new Waveform({ ...termsOf(this.#placeAt(atMs), row, atMs), originMs: atMs })
  }

  /** For each reactive branch, its equivalent at the start, and after everything has settled. */
  portEquivalents(): readonly (readonly Thevenin[])[] {
    let before = 0
    return this.ports.map(({ branch: { volts, ohms, restOhms, inputVector, outputVector } }) => {
      const amps = dot(outputVector, this.#start.slice(before, before + inputVector.length))
      before += inputVector.length
      return [
        { volts: volts - amps * ohms, ohms },
        { volts, ohms: restOhms },
      ]
    })
  }

  solve(fromMs: number, start: readonly number[], averaged: readonly Source[]): Interval {
    const theveninOf: TheveninOf = (source) => (averaged.includes(source) ? this.#meanLeg(source) : source.theveninAt(fromMs))
    const moving = averaged.length === 0 ? this.moving : this.moving.filter((source) => !averaged.includes(source))
    const waveforms = new Map(moving.map((source) => [source, source.waveformAt(fromMs)]))
    const segments = this.#segments.from(fromMs, () => this.#multiport(theveninOf, start))
    const equivalents = withSegments(theveninOf, this.#curves, segments)
    const forced = this.#forced(equivalents, waveforms)
    if (this.isLinear) {
      const untilMs = Math.min(...[...waveforms.values()].map((waveform) => waveform.untilMs))
      return new Interval(forced, { fromMs, untilMs, segments }, start)
    }
    const turnMs = Math.min(...moving.map((source) => source.turnAfter(fromMs)))
    const open = new Interval(forced, { fromMs, untilMs: turnMs, segments }, start)
    // From then on nothing moves any more.
    const calmMs = fromMs + FADED_TIME_CONSTANTS / this.fadesPerMs
    const endMs = turnMs === Number.POSITIVE_INFINITY && this.hasStates ? calmMs : turnMs
    const watched = this.#parts.map(({ branch, from, to }, port): Watched => {
      const [low, high] = branch.rangeOf(segments[port] ?? 0)
      const waveform = this.#waveformBetween({ from, to }, fromMs, equivalents, { interval: open, laterMs: 0 })
      return { waveform, low: low - BEYOND_VOLTS, high: high + BEYOND_VOLTS }
    })
    const change = firstOutside(watched, fromMs, endMs)
    const untilMs = this.#segments.endOf({ fromMs, turnMs, segments }, change)
    return new Interval(forced, { fromMs, untilMs, segments }, start)
  }

  #placeAt(atMs: number): Place {
    if (this.#trajectory !== undefined) return this.#trajectory.at(atMs)
    if (this.#last?.atMs !== atMs) this.#last = { atMs, interval: this.solve(atMs, [], []) }
    return { interval: this.#last.interval, laterMs: 0 }
  }

  /** The waveform of the voltage between two nodes. */
  #waveformBetween(
    { from, to }: Pick<Placed, 'from' | 'to'>,
    atMs: number,
    theveninOf: TheveninOf,
    place: Place | undefined,
    held?: Shown,
  ): Waveform {
    const { inverse } = this.#matrix.of(theveninOf)
    const own = inverse[from] ?? []
    const row = to === GROUND ? own : own.map((ohms, index) => ohms - (inverse[to]?.[index] ?? 0))
    const waveforms = new Map(
      this.moving.filter((source) => source !== held?.source).map((source) => [source, source.waveformAt(atMs)]),
    )
    const amps = this.#ampsWith((source) => waveforms.get(source)?.volts ?? theveninOf(source).volts, theveninOf)
    const terms = termsOf(place, this.#rowOf(row), atMs)
    let slope = terms.slope
    const sines: SineTerm[] = []
    for (const { branch, from: near, to: far } of this.placedMoving) {
      const gain = ((row[near] ?? 0) - (row[far] ?? 0)) / theveninOf(branch).ohms
      const waveform = waveforms.get(branch)
      slope += (waveform?.voltsPerMs ?? 0) * gain
      if (waveform?.sine !== undefined) sines.push({ ...waveform.sine, amplitude: waveform.sine.amplitude * gain })
    }
    return new Waveform({
      ...terms,
      originMs: atMs,
      constant: dot(row, amps) + terms.constant,
      slope,
      sines: [...sines, ...terms.sines].filter(({ amplitude }) => amplitude !== 0),
    })
  }

  /** What the circuit is for its piecewise-linear parts while they do not conduct. */
  #multiport(sourceLegOf: TheveninOf, state: readonly number[]): Multiport {
    const theveninOf: TheveninOf = (source) => (source instanceof PiecewiseLinear ? OPEN : sourceLegOf(source))
    const { inverse } = this.#matrix.of(theveninOf)
    const volts = inverse.map((row) =>
      dot(
        row,
        this.#withStates(
          this.#ampsWith((source) => theveninOf(source).volts, theveninOf),
          state,
        ),
      ),
    )
    const across = (values: readonly number[], { from, to }: Placed): number => (values[from] ?? 0) - (values[to] ?? 0)
    return {
      openVolts: this.#parts.map((part) => across(volts, part)),
      ohms: this.#parts.map((part) => {
        const ohms = inverse.map((row) => across(row, part))
        return this.#parts.map((other) => across(ohms, other))
      }),
    }
  }

  /** J: current into each node from all sources, whose waveforms give these voltages; then the voltages of the capacitors' other ends. */
  #ampsWith(voltsOf: (source: Source) => number, theveninOf: TheveninOf): number[] {
    return this.#flows(
      this.#changing.map(({ branch, from, to }) => ({ amps: voltsOf(branch) / theveninOf(branch).ohms, from, to })),
      this.#steadyAmps,
    )
  }

  /** J with the states as sources: voltages of capacitors, currents of coils. */
  #withStates(amps: number[], state: readonly number[]): number[] {
    for (const [index, { from, to, capacitor }] of this.#owners.entries()) {
      const value = state[index] ?? 0
      if (capacitor >= 0) amps[this.size + capacitor] = (amps[this.size + capacitor] ?? 0) + value
      else {
        const out = (this.#space.outputVector[index] ?? 0) * value
        if (from !== GROUND) amps[from] = (amps[from] ?? 0) - out
        if (to !== GROUND) amps[to] = (amps[to] ?? 0) + out
      }
    }
    return amps
  }

  #meanLeg(source: Source): Thevenin {
    this.#means ??= new Map()
    const known = this.#means.get(source) ?? meanTheveninOf(source, this.#fromMs)
    this.#means.set(source, known)
    return known
  }

  /** The forced response to these waveforms, and the matrix A. */
  #forced(theveninOf: TheveninOf, waveforms: ReadonlyMap<Source, SourceWaveform>): ForcedResponse {
    const { inverse } = this.#matrix.of(theveninOf)
    const excitationOf = (amps: readonly number[], isConstant = false): number[] => {
      const volts = inverse.map((row) => dot(row, amps))
      return this.#owners.map(({ branch, from, to, capacitor }, index) => {
        if (capacitor >= 0) return voltsPerAmpere(branch) * (volts[this.size + capacitor] ?? 0)
        const across = (volts[from] ?? 0) - (volts[to] ?? 0) - (isConstant ? branch.volts : 0)
        return across * (this.#space.inputVector[index] ?? 0)
      })
    }
    const flowOf = (volts: number, { branch, from, to }: Placed<Source>) => ({ amps: volts / theveninOf(branch).ohms, from, to })
    const excitation: Excitation = {
      constant: excitationOf(
        this.#ampsWith((source) => waveforms.get(source)?.volts ?? theveninOf(source).volts, theveninOf),
        true,
      ),
      slope: excitationOf(
        this.#flows(this.placedMoving.map((each) => flowOf(waveforms.get(each.branch)?.voltsPerMs ?? 0, each))),
      ),
      sines: this.placedMoving.flatMap((each) => {
        const sine = waveforms.get(each.branch)?.sine
        if (sine === undefined) return []
        return [{ ...sine, amplitude: excitationOf(this.#flows([flowOf(sine.amplitude, each)])) }]
      }),
    }
    return new ForcedResponse(this.#space, excitation, this.#exponentialOf(inverse))
  }

  #exponentialOf(inverse: Matrix): MatrixExponential {
    this.#exponentials ??= new Map()
    const known = this.#exponentials.get(inverse)
    if (known !== undefined) return known
    const exponential = new MatrixExponential(this.#stateMatrix(this.#space, inverse))
    if (this.#exponentials.size >= NodalMatrix.MAX_KEPT) this.#exponentials.clear()
    this.#exponentials.set(inverse, exponential)
    return exponential
  }

  /** A: how fast each state changes with each other one. */
  #stateMatrix(space: StateSpace, inverse: Matrix): Matrix {
    return space.stateMatrix.map((row, index) => {
      const owner = this.#owners[index]
      if (owner === undefined) return row
      const { branch, from, to, capacitor } = owner
      if (capacitor >= 0)
        return this.#rowOf(inverse[this.size + capacitor] ?? [], space).map((amps) => amps * voltsPerAmpere(branch))
      const [own, other] = [this.#rowOf(inverse[from] ?? [], space), this.#rowOf(inverse[to] ?? [], space)]
      return row.map((rate, column) => rate + (space.inputVector[index] ?? 0) * ((own[column] ?? 0) - (other[column] ?? 0)))
    })
  }

  /** What each state adds to the unknown that has this row of the inverse matrix. */
  #rowOf(row: readonly number[], { outputVector }: StateSpace = this.#space): number[] {
    return this.#owners.map(({ from, to, capacitor }, index) =>
      capacitor >= 0 ? (row[this.size + capacitor] ?? 0) : -(outputVector[index] ?? 0) * ((row[from] ?? 0) - (row[to] ?? 0)),
    )
  }

  #flows(flows: readonly { readonly amps: number; readonly from: number; readonly to: number }[], to: readonly number[] = []) {
    const sums: number[] = []
    for (let index = 0; index < this.size + this.#capacitors.length; index++) sums.push(to[index] ?? 0)
    for (const { amps, from, to: other } of flows) {
      if (from !== GROUND) sums[from] = (sums[from] ?? 0) + amps
      if (other !== GROUND) sums[other] = (sums[other] ?? 0) - amps
    }
    return sums
  }

  #decayPerMs(space: StateSpace): number {
    const matrices = this.#matrix.extremes().map(({ inverse }) => this.#stateMatrix(space, inverse))
    return Math.min(...matrices.map((matrix) => decayPerMs(matrix, space.weights)))
  }
}

/** The waveform of a row times the states. */
function termsOf(place: Place | undefined, row: readonly number[], atMs: number): Terms {
  if (place === undefined || row.length === 0) return NO_TERMS
  // Rounding may put the moment just before its interval.
  return place.interval.waveformOf(row, Math.max(atMs - place.laterMs, place.interval.fromMs))
}

/** The initial state of a branch if it has the right size; otherwise 0. */
function fitting(state: readonly number[] | undefined, { inputVector }: Reactive): readonly number[] {
  return state?.length === inputVector.length ? state : inputVector.map(() => 0)
}
