import { type Branch, commonPeriod, isReactive, type Leg, type Source, Steady } from '../branch.ts'
import type { Range } from '../curve.ts'
import { Law, type SineTerm } from '../law.ts'
import { dot } from '../memory/matrix.ts'
import type { Reactive } from '../memory/reactive.ts'
import { combinations, type Flow, hull, joined, type LegOf, MAX_COMBINED, meanOf, voltsOf } from './mean.ts'
import { type Memory, NodeMemory } from './node-memory.ts'

/** Edges of two sources closer than this count as one: 1 ns, far below any period, far above rounding. */
export const SAME_EDGE_MS = 1e-6

/** Sources, and products of two states of coils and motors, whose edge costs as much as that of a single source. */
const SIMPLE_WORK = 8
/** How much cheaper an edge is if periods repeat: their effect on coils and motors is computed once. */
const REPEATED = 4
/** What a coil kicks beyond this is cut off, as by the protection of an input: it never reaches more, if no source does. */
export const CLAMP_VOLTS = 40

/** The time in which coils and motors settle while periodic sources repeat. */
export interface Settling {
  readonly fromMs: number
  readonly untilMs: number
  readonly periodMs: number
}

/** How the memories of a network settle. */
export interface Settled {
  /** The first moment from which on the sources repeat, and the moment at which the initial state has decayed. */
  readonly settlesFromMs: number
  readonly fadedFromMs: number
}

/** What a node that is one of a network gets from it. */
export interface NetworkTraits {
  readonly settled: Settled | undefined
  /** Number of unknown voltages and states. */
  readonly unknowns: number
}

/** One node of the circuit between two changes of its wiring: a pure function of time, V = Σ(Vi/Ri) / Σ(1/Ri). */
export class SolvedNode {
  readonly #branches: readonly Branch[]
  /** Flow of the steady sources. */
  readonly #sources: Flow
  /** Flow of the steady sources and of the direct conduction of reactive branches. */
  readonly #steady: Flow
  readonly #memory: NodeMemory | undefined
  /** The settling of the memories of this node, or of its network. */
  readonly #settled: Settled | undefined
  /** A coil cannot pull the voltage out of this range. */
  readonly #clamp: Range
  /** The sources that are not steady. */
  readonly moving: readonly Source[]
  readonly #sourcesRegularFromMs: number
  /** Whether the voltage is constant between two edges. */
  readonly isStepped: boolean
  /** Work of a search at one edge, as a multiple of that on a simple node. Limits of edges are divided by it. */
  readonly edgeCost: number
  readonly #commonPeriodMs: number
  #bounds: Range | undefined

  /** `memory` is the initial state of the reactive branches; without it they begin at rest at time 0. */
  constructor(branches: readonly Branch[], memory?: Memory, network?: NetworkTraits) {
    this.#branches = branches
    const ports = branches.filter(isReactive)
    const sources = branches.filter((branch): branch is Source => !isReactive(branch))
    this.moving = sources.filter((source) => !(source instanceof Steady))
    this.#sources = sources.filter((source) => source instanceof Steady).reduce((flow, { leg }) => joined(flow, leg), NO_FLOW)
    const volts = branches.flatMap((branch) => (isReactive(branch) ? branch.volts : branch.extremes.map((leg) => leg.volts)))
    this.#clamp = hull([-CLAMP_VOLTS, CLAMP_VOLTS, ...volts])
    this.#steady = ports.reduce(joined, this.#sources)
    this.#memory = ports.length === 0 ? undefined : new NodeMemory(ports, this.#steady, this.moving, memory)
    this.#settled = network === undefined ? this.#memory : network.settled
    this.#sourcesRegularFromMs = Math.max(Number.NEGATIVE_INFINITY, ...this.moving.map((source) => source.regularFromMs))
    this.isStepped = this.#settled === undefined && this.moving.every((source) => source.isStepped)
    const states = network?.unknowns ?? ports.reduce((sum, { gains }) => sum + gains.length, 0)
    this.#commonPeriodMs = commonPeriod(this.moving.filter((source) => source.periodMs > 0))
    const solved = this.#commonPeriodMs < Number.POSITIVE_INFINITY ? (states * states) / REPEATED : states * states
    this.edgeCost = Math.max(1, Math.ceil((this.moving.length + solved) / SIMPLE_WORK))
  }

  /** From this moment on the node repeats after its period. */
  get regularFromMs(): number {
    return Math.max(this.#fadedFromMs, this.#sourcesRegularFromMs)
  }

  /** Whether the node or its network has coils, motors or capacitors. */
  get hasMemory(): boolean {
    return this.#settled !== undefined
  }

  /** Whether it is one node of a network. */
  get isNetwork(): boolean {
    return false
  }

  /** Whether the voltage is constant. */
  get isSteady(): boolean {
    return this.moving.length === 0 && this.#settled === undefined
  }

  /** The moving source, if there is only one and no memory. */
  get onlyMoving(): Source | undefined {
    return this.moving.length === 1 && this.#settled === undefined ? this.moving[0] : undefined
  }

  /** Undefined if nothing settles, or no source repeats meanwhile. */
  get settling(): Settling | undefined {
    const periodMs = this.periodMs()
    if (this.#settled === undefined || periodMs === 0 || periodMs === Number.POSITIVE_INFINITY) return undefined
    return { fromMs: this.#settled.settlesFromMs, untilMs: this.#settled.fadedFromMs, periodMs }
  }

  get #fadedFromMs(): number {
    return this.#settled?.fadedFromMs ?? Number.NEGATIVE_INFINITY
  }

  /** The same node with a steady source in place of some sources. */
  with(steady: Leg, inPlaceOf: readonly Source[]): SolvedNode {
    const others = this.#branches.filter((branch) => isReactive(branch) || !inPlaceOf.includes(branch))
    return new SolvedNode([...others, new Steady(steady)])
  }

  /** Everything that conducts steadily, with each combination of the extremes of these sources. */
  flows(sources: readonly Source[]): readonly Flow[] {
    return combinations(
      this.#steady,
      sources.map((source) => source.extremes),
    )
  }

  /** Voltage against ground; 0 if the node has no branches. */
  voltsAt(atMs: number): number {
    return this.voltsWith(atMs, (source) => source.legAt(atMs))
  }

  /** Voltage if each moving source shows the leg that `legOf` returns for it; reactive branches are as at `atMs`. */
  voltsWith(atMs: number, legOf: LegOf): number {
    return this.#voltsOf(legOf, this.#memory?.ampsAt(atMs) ?? 0)
  }

  /** What an input shows of a voltage that `lawAt` gives. */
  clamped(volts: number): number {
    return Math.min(Math.max(volts, this.#clamp[0]), this.#clamp[1])
  }

  #voltsOf(legOf: LegOf, memoryAmps: number): number {
    let { siemens, amps } = this.#steady
    for (const source of this.moving) {
      const leg = legOf(source)
      siemens += 1 / leg.ohms
      amps += leg.volts / leg.ohms
    }
    const volts = voltsOf({ siemens, amps: amps - memoryAmps })
    return this.#memory === undefined ? volts : this.clamped(volts)
  }

  /** The common period of all sources with a period above `slowerThanMs`: see `commonPeriod`. */
  periodMs(slowerThanMs = 0): number {
    if (slowerThanMs === 0) return this.#commonPeriodMs
    return commonPeriod(this.moving.filter((source) => source.periodMs > slowerThanMs))
  }

  /** Current that `branch`, a branch of this node, delivers into it at `atMs`, in ampere; negative while it sinks. */
  ampsFrom(branch: Branch, atMs: number): number {
    const leg = isReactive(branch) ? branch : branch.legAt(atMs)
    const direct = (leg.volts - this.voltsAt(atMs)) / leg.ohms
    return isReactive(branch) ? direct - dot(branch.currents, this.stateOf(branch, atMs) ?? []) : direct
  }

  /** State of a reactive branch at a moment at or after the node's start; undefined for a branch of another node. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    return this.#memory?.stateOf(port, atMs)
  }

  /** The first moment after `afterMs` at which a source with a period above `slowerThanMs` jumps or turns; Infinity if none does. */
  edgeAfter(afterMs: number, slowerThanMs = 0): number {
    if (this.onlyMoving !== undefined && slowerThanMs === 0) return this.onlyMoving.turnAfter(afterMs)
    let first = this.#fadedFromMs > afterMs ? this.#fadedFromMs : Number.POSITIVE_INFINITY
    const edges = [first]
    for (const source of this.moving) {
      if (isFast(source, slowerThanMs)) continue
      const edge = source.turnAfter(afterMs)
      edges.push(edge)
      if (edge < first) first = edge
    }
    let last = first
    for (const edge of edges) if (edge > last && edge <= first + SAME_EDGE_MS) last = edge
    return last
  }

  /** The last moment up to `atMs` at which a source jumped or turned; -Infinity if none did. */
  edgeUpTo(atMs: number): number {
    return Math.max(...this.moving.map((source) => source.turnUpTo(atMs)))
  }

  /** The law of the voltage from `atMs` to the next edge, without the clamp. */
  lawAt(atMs: number): Law {
    let { siemens, amps } = this.#steady
    let slope = 0
    const sines: SineTerm[] = []
    for (const source of this.moving) {
      const { ohms } = source.legAt(atMs)
      const law = source.lawAt(atMs)
      siemens += 1 / ohms
      amps += law.volts / ohms
      slope += law.voltsPerMs / ohms
      if (law.sine !== undefined) sines.push({ ...law.sine, amplitude: law.sine.amplitude / ohms })
    }
    const ohms = siemens === 0 ? 0 : 1 / siemens
    const remembered = this.#memory?.law(atMs, -ohms)
    const own = sines.map((sine) => ({ ...sine, amplitude: sine.amplitude * ohms }))
    return new Law({
      originMs: atMs,
      constant: amps * ohms + (remembered?.constant ?? 0),
      slope: slope * ohms + (remembered?.slope ?? 0),
      sines: remembered === undefined ? own : [...own, ...remembered.sines],
      decays: remembered?.decays ?? [],
      transient: remembered?.transient,
    })
  }

  /** Lowest and highest voltage for any phase of the sources, with reactive branches in their initial or settled state. */
  extremes(): Range {
    const choices = [...this.moving.map((source) => source.extremes), ...(this.#memory?.legs() ?? [])]
    return hull(combinations(this.#sources, choices).map(voltsOf))
  }

  /** Bounds of the voltage from now on; if `only` is given, for the moments at which its source shows its leg. Infinite if unknown. */
  bounds(only?: { readonly source: Source; readonly leg: Leg }): Range {
    if (only !== undefined) return this.#boundsWith(only)
    this.#bounds ??= this.#boundsWith(undefined)
    return this.#bounds
  }

  #boundsWith(only: { readonly source: Source; readonly leg: Leg } | undefined): Range {
    if (this.#memory !== undefined && this.moving.length > MAX_COMBINED)
      return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    const all = this.flows(this.moving)
    const choices = this.moving.map((source) => (source === only?.source ? [only.leg] : source.extremes))
    const flows = only === undefined ? all : combinations(this.#steady, choices)
    const currents = this.#memory?.ampsRange(all) ?? [0]
    return hull(flows.flatMap(({ siemens, amps }) => currents.map((current) => voltsOf({ siemens, amps: amps - current }))))
  }

  /**
   * Mean of a quantity over the periods of all sources with a period up to `upToMs`; slower sources keep their value of `atMs`. Without a
   * common period of the fast ones, coils and motors keep the current that the mean of these sources gives them.
   */
  mean(atMs: number, upToMs: number, quantity: (volts: number, legOf: LegOf) => number): number {
    const fast = this.moving.filter((source) => isFast(source, upToMs))
    const at = (momentMs: number): number => {
      const legOf: LegOf = (source) => source.legAt(isFast(source, upToMs) ? momentMs : atMs)
      return quantity(this.voltsWith(momentMs, legOf), legOf)
    }
    let memoryAmps: number | undefined
    const withLegs = (legOf: LegOf): number => {
      memoryAmps ??= this.#memory?.ampsAt(atMs, fast) ?? 0
      return quantity(this.#voltsOf(legOf, memoryAmps), legOf)
    }
    const isFlat = this.#memory === undefined && fast.every((source) => source.isStepped)
    return meanOf(fast, atMs, { at, with: withLegs, isFlat })
  }
}

const NO_FLOW: Flow = { siemens: 0, amps: 0 }

export function isFast(source: Source, upToMs: number): boolean {
  return source.periodMs > 0 && source.periodMs <= upToMs
}
