import { type Leg, type Source, Steady } from '../branch.ts'
import type { Range } from '../curve.ts'
import type { Law } from '../law.ts'
import type { Reactive } from '../memory/reactive.ts'
import { hull, type LegOf, meanOf } from '../node/mean.ts'
import { isFast, type Settling, SolvedNode } from '../node/solved-node.ts'
import type { Placed } from './impedances.ts'
import { Network } from './network.ts'
import { Polygon } from './polygon.ts'

/** Up to this many combinations of legs the possible voltages are solved one by one; above, they are only bounded. */
const MOST_COMBINATIONS = 256

/** Searches look less far ahead where each edge is one of many bends. */
const BENT_WORK = 2

/** One node of a network. Everything that moves in the network moves it. */
export class NetworkNode extends SolvedNode {
  readonly #network: Network
  readonly #node: number

  constructor(network: Network, node: number) {
    const { settled, size } = network
    const states = network.ports.reduce((sum, { branch }) => sum + branch.gains.length, 0)
    super(
      network.sources.flatMap(({ branch }) => (branch instanceof Polygon ? [] : [branch])),
      undefined,
      { settled, unknowns: (states + size) * (network.isBent ? BENT_WORK : 1) },
    )
    this.#network = network
    this.#node = node
  }

  override get isNetwork(): boolean {
    return true
  }

  override voltsWith(atMs: number, legOf: LegOf): number {
    return this.#voltsOf(legOf, this.#network.stateAt(atMs))
  }

  #voltsOf(legOf: LegOf, state: readonly number[]): number {
    return this.clamped(this.#network.voltsWith(legOf, state)[this.#node] ?? 0)
  }

  override stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    return this.#network.stateOf(port, atMs)
  }

  override lawAt(atMs: number): Law {
    return this.#network.lawOf(this.#node, atMs)
  }

  /** A polygon that changes its side is an edge like that of a source. */
  override edgeAfter(afterMs: number, slowerThanMs = 0): number {
    return Math.min(super.edgeAfter(afterMs, slowerThanMs), this.#network.bendAfter(afterMs))
  }

  /** Periods far ahead cannot be skipped while polygons change their sides. */
  override get settling(): Settling | undefined {
    return this.#network.isBent ? undefined : super.settling
  }

  override extremes(): Range {
    return this.#combined(undefined)
  }

  /** With memories there are no bounds: a capacitor between two nodes may push one beyond every source. */
  override bounds(only?: { readonly source: Source; readonly leg: Leg }): Range {
    if (this.hasMemory) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    return this.#combined(only)
  }

  override mean(atMs: number, upToMs: number, quantity: (volts: number, legOf: LegOf) => number): number {
    const fast = this.moving.filter((source) => isFast(source, upToMs))
    const at = (momentMs: number): number => {
      const legOf: LegOf = (source) => source.legAt(isFast(source, upToMs) ? momentMs : atMs)
      return quantity(this.voltsWith(momentMs, legOf), legOf)
    }
    let state: readonly number[] | undefined
    const withLegs = (legOf: LegOf): number => {
      state ??= this.#network.stateAt(atMs, fast)
      return quantity(this.#voltsOf(legOf, state), legOf)
    }
    const isFlat = !this.hasMemory && fast.every((source) => source.isStepped)
    return meanOf(fast, atMs, { at, with: withLegs, isFlat })
  }

  /** A node that shows a current of a coil, as a voltage: the current times these ohms. Its edges and periods are those of the network. */
  currentNode(port: Reactive, ohms: number): SolvedNode {
    return new CurrentNode(this.#network, this.#node, port, ohms)
  }

  /** The range over all combinations of the sources' and the memories' legs. */
  #combined(only: { readonly source: Source; readonly leg: Leg } | undefined): Range {
    const moving = this.#network.moving.map((each) => ({
      ...each,
      legs: each.branch === only?.source ? [only.leg] : each.branch.extremes,
    }))
    const choices = [...moving, ...this.#network.portLegs()]
    const count = choices.reduce((product, { legs }) => product * legs.length, 1)
    const steady = this.#network.sources.filter(({ branch }) => branch instanceof Steady || branch instanceof Polygon)
    if (count > MOST_COMBINATIONS) {
      const legs = [...choices.flatMap((choice) => choice.legs), ...steady.flatMap(({ branch }) => branch.extremes)]
      return hull([0, ...legs.map(({ volts }) => volts)])
    }
    const sets = choices.reduce<readonly (readonly Placed[])[]>(
      (all, { from, to, legs }) => all.flatMap((set) => legs.map((leg) => [...set, { from, to, branch: new Steady(leg) }])),
      [steady],
    )
    return hull(sets.map((set) => new Network(this.#network.size, set, AT_REST).voltsWith(NO_LEG, [])[this.#node] ?? 0))
  }
}

class CurrentNode extends NetworkNode {
  readonly #network: Network
  readonly #port: Reactive
  readonly #ohms: number

  constructor(network: Network, node: number, port: Reactive, ohms: number) {
    super(network, node)
    this.#network = network
    this.#port = port
    this.#ohms = ohms
  }

  override voltsAt(atMs: number): number {
    return (this.#network.stateOf(this.#port, atMs)?.[0] ?? 0) * this.#ohms
  }

  override lawAt(atMs: number): Law {
    return this.#network.currentLaw(this.#port, this.#ohms, atMs)
  }
}

const AT_REST = { fromMs: 0, of: () => undefined }
const NO_LEG: LegOf = () => ({ volts: 0, ohms: Number.POSITIVE_INFINITY })
