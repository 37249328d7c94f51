import { commonPeriod, SAME_EDGE_MS, type Shown, type Source, Steady, type Thevenin, type TheveninOf } from '../branch.ts'
import type { Range } from '../events/zero-crossing.ts'
import type { Circuit } from './circuit.ts'
import { combinations } from './matrix.ts'
import { meanOfPeriod, meanOfPhases } from './mean.ts'
import { PiecewiseLinear } from './piecewise-linear.ts'
import type { Reactive } from './reactive.ts'
import type { Waveform } from './waveform.ts'

/** What a coil kicks beyond this is cut off, as by the protection of an input: it never reaches more, if no source does. */
export const CLAMP_VOLTS = 40

/** Sources, and products of two unknowns, whose edge costs as much as that of a single source. */
const SIMPLE_WORK = 8
/** How much cheaper an edge is if periods repeat: their effect on the states is computed once. */
const REPEATED = 4
/** Searches look less far ahead where each edge is one of many changes of segments. */
const SEGMENT_WORK = 2
/** Up to this many combinations of equivalents the possible voltages are solved one by one; above, they are only bounded. */
const MAX_COMBINATIONS = 256

/** The time in which the states settle while periodic sources repeat. */
export interface Settling {
  readonly fromMs: number
  readonly untilMs: number
  readonly periodMs: number
}

/** One node of a circuit. Everything that moves in the circuit moves it. */
export class CircuitNode {
  /** Whether the voltage is constant between two edges. */
  readonly isStepped: boolean
  /** Work of a search at one edge, as a multiple of that on a simple node. Limits of edges are divided by it. */
  readonly edgeCost: number
  readonly #commonPeriodMs: number
  /** A coil cannot pull the voltage out of this range; undefined without states. */
  readonly #clamp: Range | undefined
  #bounds: Range | undefined

  constructor(
    readonly circuit: Circuit,
    private readonly index: number,
  ) {
    const { moving, ports, sources, size, weights, isLinear, hasStates } = circuit
    this.isStepped = !hasStates && moving.every((source) => source.isStepped)
    this.#commonPeriodMs = commonPeriod(moving.filter(({ periodMs }) => periodMs > 0))
    const unknowns = (weights.length + size - 1) * (isLinear ? 1 : SEGMENT_WORK)
    const work = this.#commonPeriodMs < Number.POSITIVE_INFINITY ? unknowns ** 2 / REPEATED : unknowns ** 2
    this.edgeCost = Math.max(1, Math.ceil((moving.length + work) / SIMPLE_WORK))
    if (!hasStates) return
    const linear = sources.filter(({ branch }) => !(branch instanceof PiecewiseLinear))
    const equivalents = [...linear.flatMap(({ branch }) => branch.extremes), ...ports.map(({ branch }) => branch)]
    this.#clamp = hull([-CLAMP_VOLTS, CLAMP_VOLTS, ...equivalents.map(({ volts }) => volts)])
  }

  /** The sources of the circuit that are not steady. */
  get moving(): readonly Source[] {
    return this.circuit.moving
  }

  /** From this moment on the voltage repeats after its period. */
  get regularFromMs(): number {
    return Math.max(this.circuit.fadedFromMs, ...this.moving.map((source) => source.regularFromMs))
  }

  /** Whether the circuit has coils, motors or capacitors. */
  get hasStates(): boolean {
    return this.circuit.hasStates
  }

  /** Whether the voltage is constant. */
  get isSteady(): boolean {
    return this.moving.length === 0 && !this.hasStates
  }

  /** Undefined if nothing settles, no source repeats meanwhile, or periods far ahead cannot be skipped because of segments. */
  get settling(): Settling | undefined {
    const periodMs = this.#commonPeriodMs
    if (!this.hasStates || !this.circuit.isLinear || periodMs === 0 || periodMs === Number.POSITIVE_INFINITY) return undefined
    return { fromMs: this.circuit.settlesFromMs, untilMs: this.circuit.fadedFromMs, periodMs }
  }

  /** Voltage against ground; 0 if the node has no branches. */
  voltsAt(atMs: number): number {
    return this.voltsWith(atMs, (source) => source.theveninAt(atMs))
  }

  /** Voltage if each moving source shows the equivalent that `theveninOf` returns for it; states are as at `atMs`. */
  voltsWith(atMs: number, theveninOf: TheveninOf): number {
    return this.#voltsOf(theveninOf, this.circuit.stateAt(atMs))
  }

  #voltsOf(theveninOf: TheveninOf, state: readonly number[]): number {
    return this.clamped(this.circuit.voltsWith(theveninOf, state)[this.index] ?? 0)
  }

  /** What an input shows of a voltage that `waveformAt` gives. */
  clamped(volts: number): number {
    return this.#clamp === undefined ? volts : Math.min(Math.max(volts, this.#clamp[0]), this.#clamp[1])
  }

  /** The common period of all sources with a period above `slowerThanMs`: see `commonPeriod`. */
  periodMs(slowerThanMs = 0): number {
    if (slowerThanMs === 0) return this.#commonPeriodMs
    return commonPeriod(this.moving.filter((source) => source.periodMs > slowerThanMs))
  }

  /** Current that a source, from this node to ground, delivers into it at `atMs`, in ampere; negative while it sinks. */
  ampsFrom(source: Source, atMs: number): number {
    const { volts, ohms } = source.theveninAt(atMs)
    return (volts - this.voltsAt(atMs)) / ohms
  }

  /** State of a reactive branch at a moment at or after the circuit's start; undefined for a branch of another circuit. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    return this.circuit.stateOf(port, atMs)
  }

  /**
   * The first moment after `afterMs` at which a source with a period above `slowerThanMs` jumps or turns, or a part changes its segment;
   * Infinity if none does.
   */
  edgeAfter(afterMs: number, slowerThanMs = 0): number {
    const { fadedFromMs } = this.circuit
    const slow = this.moving.filter((source) => !isFast(source, slowerThanMs))
    const edges = slow.map((source) => source.turnAfter(afterMs))
    edges.push(fadedFromMs > afterMs ? fadedFromMs : Number.POSITIVE_INFINITY)
    const first = Math.min(...edges)
    const last = Math.max(...edges.filter((edge) => edge <= first + SAME_EDGE_MS))
    return Math.min(last, this.circuit.segmentChangeAfter(afterMs))
  }

  /** The last moment up to `atMs` at which a source jumped or turned; -Infinity if none did. */
  edgeUpTo(atMs: number): number {
    return Math.max(...this.moving.map((source) => source.turnUpTo(atMs)))
  }

  /** The waveform of the voltage from `atMs` to the next edge, without the clamp; with `held`, while a source shows this equivalent. */
  waveformAt(atMs: number, held?: Shown): Waveform {
    return this.circuit.waveformOf(this.index, atMs, held)
  }

  /** Lowest and highest voltage for any phase of the sources, with the initial states and with settled ones. */
  extremes(): Range {
    if (!this.hasStates) return this.bounds()
    const settled = new CircuitNode(this.circuit.settled, this.index)
    return hull([...this.#combined(undefined, this.circuit.start), ...settled.bounds()])
  }

  /**
   * Bounds of the voltage from now on; if `only` is given, for the moments at which its source shows its equivalent. With states they are infinite:
   * a capacitor between two nodes may push one beyond every source.
   */
  bounds(only?: Shown): Range {
    if (this.hasStates) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    if (only !== undefined) return this.#combined(only, [])
    this.#bounds ??= this.#combined(undefined, [])
    return this.#bounds
  }

  /** The range over all combinations of the sources' equivalents. */
  #combined(only: Shown | undefined, state: readonly number[]): Range {
    const choices = this.moving.map((source) => (source === only?.source ? [only.equivalent] : source.extremes))
    if (choices.reduce((product, { length }) => product * length, 1) > MAX_COMBINATIONS) {
      const still = this.circuit.sources.filter(({ branch }) => branch instanceof Steady || branch instanceof PiecewiseLinear)
      const equivalents = [...choices.flat(), ...still.flatMap(({ branch }) => branch.extremes)]
      return hull([...(this.circuit.size > 1 ? [0] : []), ...equivalents.map(({ volts }) => volts)])
    }
    const voltsWith = (set: readonly Thevenin[]): number =>
      this.#voltsOf((source) => set[this.moving.indexOf(source)] ?? source.theveninAt(0), state)
    return hull(combinations(choices).map(voltsWith))
  }

  /**
   * Mean of a quantity over the periods of all sources with a period up to `upToMs`; slower sources keep their value of `atMs`. Without a
   * common period of the fast ones, the states are those that the mean of these sources gives.
   */
  mean(atMs: number, upToMs: number, quantity: (volts: number, theveninOf: TheveninOf) => number): number {
    const fast = this.moving.filter((source) => isFast(source, upToMs))
    const valueOf = (shownBy: TheveninOf, state: readonly number[]): number => {
      const theveninOf: TheveninOf = (source) => (isFast(source, upToMs) ? shownBy(source) : source.theveninAt(atMs))
      return quantity(this.#voltsOf(theveninOf, state), theveninOf)
    }
    const valueAt = (ms: number): number => valueOf((source) => source.theveninAt(ms), this.circuit.stateAt(ms))
    const periodMs = commonPeriod(fast)
    if (periodMs === 0) return valueAt(atMs)
    if (periodMs === Number.POSITIVE_INFINITY) {
      const state = this.circuit.stateAt(atMs, fast)
      return meanOfPhases(fast, atMs, (shownBy) => valueOf(shownBy, state))
    }
    const isFlat = !this.hasStates && fast.every((source) => source.isStepped)
    return meanOfPeriod(fast, { fromMs: atMs, periodMs, isFlat }, valueAt)
  }

  /** A probe whose voltage is a current of a coil, times these ohms. */
  currentProbe(port: Reactive, ohms: number): CircuitNode {
    return new CurrentProbe(this.circuit, port, ohms)
  }
}

class CurrentProbe extends CircuitNode {
  constructor(
    circuit: Circuit,
    private readonly port: Reactive,
    private readonly ohms: number,
  ) {
    super(circuit, 0)
  }

  override voltsAt(atMs: number): number {
    return (this.stateOf(this.port, atMs)?.[0] ?? 0) * this.ohms
  }

  override waveformAt(atMs: number): Waveform {
    return this.circuit.stateWaveform(this.port, this.ohms, atMs)
  }
}

export function isFast(source: Source, upToMs: number): boolean {
  return source.periodMs > 0 && source.periodMs <= upToMs
}

/** Lowest and highest of some values. */
function hull(figures: readonly number[]): Range {
  return [Math.min(...figures), Math.max(...figures)]
}
