import type { Alternation, Branch, Leg } from './branch.ts'
import { edgeAfter, edgeUpTo, isAlternation, legAt } from './branch.ts'
import { meanOf } from './mean.ts'

/** Edges of two sources closer than this are one edge: 1 ns, far below any period, far above rounding. */
export const SAME_EDGE_MS = 1e-6
/** How many edges a search looks ahead on a node with several periodic sources before it says "look again". */
export const LOOK_AHEAD_EDGES = 512
/** Up to this many periodic sources the reachable voltages are solved one by one; beyond it they are only bounded. */
const MOST_COMBINED = 8

/**
 * The result of a search. Found: it happens at `atMs`. Otherwise it does not happen up to `atMs` (infinite: never, unless the node
 * changes), so look again then.
 */
export interface Moment {
  readonly found: boolean
  readonly atMs: number
}
export const NEVER: Moment = { found: false, atMs: Number.POSITIVE_INFINITY }

/** One node of the circuit as it is between two changes of its wiring: a pure function of time, V = Σ(Vi/Ri) / Σ(1/Ri). */
export class SolvedNode {
  readonly #siemens: number
  readonly #amps: number
  /** The periodic sources on this node. */
  readonly alternations: readonly Alternation[]

  constructor(branches: readonly Branch[]) {
    this.alternations = branches.filter(isAlternation)
    const legs = branches.filter((branch): branch is Leg => !isAlternation(branch))
    this.#siemens = legs.reduce((sum, leg) => sum + 1 / leg.ohms, 0)
    this.#amps = legs.reduce((sum, leg) => sum + leg.volts / leg.ohms, 0)
  }

  /** Volts against ground; 0 where nothing hangs on the node. */
  voltsAt(atMs: number): number {
    return this.voltsWith((alternation) => legAt(alternation, atMs))
  }

  /** Volts while each periodic source shows the leg that `legOf` picks for it. */
  voltsWith(legOf: (alternation: Alternation) => Leg): number {
    let siemens = this.#siemens
    let amps = this.#amps
    for (const alternation of this.alternations) {
      const leg = legOf(alternation)
      siemens += 1 / leg.ohms
      amps += leg.volts / leg.ohms
    }
    return siemens === 0 ? 0 : amps / siemens
  }

  /** What `branch`, one of this node, delivers into it at `atMs`, in ampere; negative while it sinks. */
  ampsFrom(branch: Branch, atMs: number): number {
    const leg = legAt(branch, atMs)
    return (leg.volts - this.voltsAt(atMs)) / leg.ohms
  }

  /** The first moment after `afterMs` at which a source with a period above `slowerThanMs` switches; infinite if none does. */
  edgeAfter(afterMs: number, slowerThanMs = 0): number {
    const edges = this.alternations.filter((source) => source.periodMs > slowerThanMs).map((source) => edgeAfter(source, afterMs))
    const first = Math.min(...edges)
    return edges.length < 2 ? first : Math.max(...edges.filter((edge) => edge <= first + SAME_EDGE_MS))
  }

  /** The last moment up to `atMs` at which a source switched; negative infinity if none ever does. */
  edgeUpTo(atMs: number): number {
    return Math.max(...this.alternations.map((source) => edgeUpTo(source, atMs)))
  }

  /** The first edge after `afterMs` behind which the voltage is as `wanted`. Bounded: see `Moment`. */
  search(afterMs: number, wanted: (volts: number) => boolean): Moment {
    const limit = this.#edgesToSearch()
    let atMs = afterMs
    for (let edges = 0; edges < limit.edges; edges++) {
      atMs = this.edgeAfter(atMs)
      if (atMs === Number.POSITIVE_INFINITY) return NEVER
      if (wanted(this.voltsAt(atMs))) return { found: true, atMs }
    }
    return limit.exhaustive ? NEVER : { found: false, atMs }
  }

  /** Lowest and highest voltage that the sources can give in any combination of their legs. */
  extremes(): { readonly lowest: number; readonly highest: number } {
    const { alternations } = this
    if (alternations.length > MOST_COMBINED) return this.#bounds()
    let lowest = Number.POSITIVE_INFINITY
    let highest = Number.NEGATIVE_INFINITY
    for (let combination = 0; combination < 2 ** alternations.length; combination++) {
      const volts = this.voltsWith((source) => ((combination >> alternations.indexOf(source)) & 1 ? source.high : source.low))
      lowest = Math.min(lowest, volts)
      highest = Math.max(highest, volts)
    }
    return { lowest, highest }
  }

  /**
   * Mean of a quantity over the periods of all sources with a period up to `upToMs`, while slower ones stay as they are at `atMs`.
   * Exact for one such period, estimated by sampling where several meet.
   */
  mean(atMs: number, upToMs: number, quantity: (volts: number, legOf: (branch: Branch) => Leg) => number): number {
    const fast = this.alternations.filter((source) => source.periodMs <= upToMs)
    return meanOf(fast, atMs, (momentMs) => {
      const legOf = (branch: Branch): Leg => legAt(branch, isAlternation(branch) && branch.periodMs <= upToMs ? momentMs : atMs)
      return quantity(this.voltsWith(legOf), legOf)
    })
  }

  /** Sources of one period have shown everything after one period; others are looked at in chunks. */
  #edgesToSearch(): { readonly edges: number; readonly exhaustive: boolean } {
    const [first, ...others] = this.alternations
    const exhaustive = others.every((source) => source.periodMs === first?.periodMs)
    return { edges: exhaustive ? 2 * this.alternations.length : LOOK_AHEAD_EDGES, exhaustive }
  }

  /** The node's voltage is a weighted mean of its legs' voltages, so it lies between them. */
  #bounds(): { readonly lowest: number; readonly highest: number } {
    const steady = this.#siemens === 0 ? [] : [this.#amps / this.#siemens]
    const volts = [...steady, ...this.alternations.flatMap((source) => [source.high.volts, source.low.volts])]
    return { lowest: Math.min(...volts), highest: Math.max(...volts) }
  }
}
