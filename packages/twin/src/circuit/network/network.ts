import { isReactive, type Leg, type Source, type SourceLaw, Steady } from '../branch.ts'
import { Law, type SineTerm, type Terms } from '../law.ts'
import { type Drive, Forced } from '../memory/forced.ts'
import { dot, type Matrix, product } from '../memory/matrix.ts'
import { FADED_TIME_CONSTANTS, type MemorySystem, memorySystem } from '../memory/memory-system.ts'
import type { Plant } from '../memory/plant.ts'
import { Propagator } from '../memory/propagator.ts'
import type { Reactive } from '../memory/reactive.ts'
import { StatePiece } from '../memory/state-piece.ts'
import { Trajectory } from '../memory/trajectory.ts'
import { type LegOf, meanOf } from '../node/mean.ts'
import { fitting, type Memory } from '../node/node-memory.ts'
import type { Settled } from '../node/solved-node.ts'
import { BentCircuit } from './bent-circuit.ts'
import { GROUND, Impedances, type Placed } from './impedances.ts'
import { Polygon } from './polygon.ts'
import type { Ports } from './sides.ts'

/** Doublings of the time in which a state is looked for that has decayed: from the fastest to the slowest circuit. */
const MOST_DOUBLINGS = 80
/** A decay slower than this is taken for it: 317 years. */
const SLOWEST_PER_MS = 1e-13

/**
 * Lower bound of the decay rate of a passive circuit: its energy falls by 1/e² or more in 1 / rate. It may be up to a few times too low.
 * The state is measured by its energy, half the sum of weight × square, which never grows.
 */
function decayPerMs(rates: Matrix, weights: readonly number[]): number {
  const roots = weights.map(Math.sqrt)
  const weighed = rates.map((row, index) => row.map((rate, column) => (rate * (roots[index] ?? 1)) / (roots[column] ?? 1)))
  const largest = Math.max(...weighed.map((row) => row.reduce((sum, rate) => sum + Math.abs(rate), 0)))
  let t = 1 / largest
  const propagator = new Propagator(weighed)
  const columns = weighed.map((_, index) =>
    propagator.after(
      t,
      weighed.map((_row, row) => Number(row === index)),
    ),
  )
  let effect: Matrix = weighed.map((_, row) => columns.map((column) => column[row] ?? 0))
  for (let doublings = 0; doublings < MOST_DOUBLINGS; doublings++) {
    const norm = Math.sqrt(effect.flat().reduce((sum, value) => sum + value * value, 0))
    if (norm < 1 / Math.E) return Math.max(1 / t, SLOWEST_PER_MS)
    effect = product(effect, effect)
    t *= 2
  }
  return SLOWEST_PER_MS
}

/** A leg with the mean voltage and the mean resistance of a fast source. */
function meanSource(source: Source, fromMs: number): Leg {
  const mean = (of: (leg: Leg) => number): number =>
    meanOf([source], fromMs, {
      at: (ms) => of(source.legAt(ms)),
      with: (legOf) => of(legOf(source)),
      isFlat: source.isStepped,
    })
  return { volts: mean((leg) => leg.volts), ohms: mean((leg) => leg.ohms) }
}

/** Several nodes that resistors and capacitors join, between two changes of their wiring: a pure function of time. */
export class Network implements Plant {
  readonly size: number
  readonly sources: readonly Placed<Source>[]
  readonly ports: readonly Placed<Reactive>[]
  /** The sources that are not steady. */
  readonly moving: readonly Placed<Source>[]
  /** These and the polygons. */
  readonly #changing: readonly Placed<Source>[]
  readonly #bent: BentCircuit | undefined
  readonly #capacitors: readonly Placed<Reactive>[]
  /** Current from the steady sources into each node while all nodes are at 0 V; then the voltage of each capacitor's other end. */
  readonly #steadyAmps: readonly number[]
  readonly #impedances: Impedances
  readonly #system: MemorySystem
  readonly #start: readonly number[]
  /** For each component of the memories, its port, and its number among the capacitors or -1. */
  readonly #owner: readonly (Placed<Reactive> & { readonly capacitor: number })[]
  readonly #propagators = new Map<Matrix, Propagator>()
  readonly #trajectory: Trajectory | undefined
  readonly #averages = new Map<number, Trajectory>()
  /** Undefined without memories. */
  readonly settled: Settled | undefined

  constructor(size: number, placed: readonly Placed[], memory: Memory) {
    this.size = size
    this.sources = placed.filter(isSource)
    this.ports = placed.filter(isPort)
    this.#changing = this.sources.filter(({ branch }) => !(branch instanceof Steady))
    this.moving = this.#changing.filter((each) => !isPolygon(each))
    const polygons = this.#changing.filter(isPolygon)
    const steady = this.sources.flatMap((each) => (each.branch instanceof Steady ? [{ ...each, leg: each.branch.leg }] : []))
    const capacitors = this.ports.filter(isCapacitor)
    const others = this.ports.filter((port) => !isCapacitor(port))
    const direct = [...steady, ...others.map((port) => ({ ...port, leg: port.branch }))]
    this.#capacitors = capacitors
    const steadyAmps = this.#flows(direct.map(({ leg, from, to }) => ({ amps: leg.volts / leg.ohms, from, to })))
    this.#steadyAmps = [...steadyAmps.slice(0, size), ...capacitors.map(({ branch }) => branch.volts)]
    this.#impedances = new Impedances(size, direct, this.#changing, capacitors)
    this.#owner = this.ports.flatMap((port) => port.branch.gains.map(() => ({ ...port, capacitor: capacitors.indexOf(port) })))
    this.#start = this.ports.flatMap(({ branch }) => fitting(memory.of(branch), branch))
    const system = memorySystem(this.ports.map(({ branch }) => branch))
    this.#system = this.ports.length === 0 ? system : { ...system, fadesPerMs: this.#fadesPerMs(system) }
    const sources = this.moving.map(({ branch }) => branch)
    const settlesFromMs = Math.max(memory.fromMs, ...sources.map((source) => source.regularFromMs))
    const fadedFromMs = settlesFromMs + FADED_TIME_CONSTANTS / this.fadesPerMs
    const start = { fromMs: memory.fromMs, state: this.#start }
    if (polygons.length > 0) this.#bent = new BentCircuit(this, polygons, sources, start)
    if (this.ports.length === 0) return
    this.settled = this.#bent?.settled({ settlesFromMs, fadedFromMs }) ?? { settlesFromMs, fadedFromMs }
    if (this.#bent === undefined) this.#trajectory = new Trajectory(this, sources, memory.fromMs, this.#start)
  }

  /** Whether it has diodes or other polygons. */
  get isBent(): boolean {
    return this.#bent !== undefined
  }

  get fadesPerMs(): number {
    return this.#system.fadesPerMs
  }

  /** The voltages of all nodes while each source shows its leg, with the state of the memories. */
  voltsWith(legOf: LegOf, state: readonly number[]): readonly number[] {
    const { impedance, amps } = this.#solved(this.#bent?.legsWith(legOf, state) ?? legOf)
    return impedance.slice(0, this.size).map((row) => dot(row, amps) + dot(this.#rowOf(row), state))
  }

  /** State of the memories at a moment; `averaged` sources count by their mean, without polygons. */
  stateAt(atMs: number, averaged: readonly Source[] = []): readonly number[] {
    if (this.#bent !== undefined) return this.#bent.stateAt(atMs)
    if (this.#trajectory === undefined) return []
    return this.#averaging(this.#trajectory, averaged).pieceAt(atMs).stateAt(atMs)
  }

  #averaging(trajectory: Trajectory, averaged: readonly Source[]): Trajectory {
    if (averaged.length === 0) return trajectory
    const known = this.#averages.get(averaged.length) ?? trajectory.averaging(averaged)
    this.#averages.set(averaged.length, known)
    return known
  }

  /** The first moment after `afterMs` at which a polygon changes its side; Infinity without polygons. */
  bendAfter(afterMs: number): number {
    return this.#bent?.bendAfter(afterMs) ?? Number.POSITIVE_INFINITY
  }

  /** The law of a node's voltage from a moment on, until the next edge. */
  lawOf(node: number, atMs: number): Law {
    if (this.#bent !== undefined) return this.#bent.lawOf(node, atMs)
    return this.lawBetween({ from: node, to: GROUND }, atMs, (source) => source.legAt(atMs), this.#trajectory?.pieceAt(atMs))
  }

  /** The law of the current of a coil, times a factor. */
  currentLaw(port: Reactive, factor: number, atMs: number): Law {
    const row = this.#owner.map(({ branch }) => (branch === port ? factor : 0))
    const terms = this.#bent?.memoryLaw(row, atMs) ?? this.#trajectory?.pieceAt(atMs).lawOf(row, atMs)
    return new Law({ ...(terms ?? NO_TERMS), originMs: atMs })
  }

  /** The law of the voltage between two nodes. `piece` is `laterMs` behind: its memories were then as now. */
  lawBetween(
    { from, to }: Pick<Placed, 'from' | 'to'>,
    atMs: number,
    legOf: LegOf,
    piece: StatePiece | undefined,
    laterMs = 0,
  ): Law {
    const impedance = this.#impedances.of(legOf)
    const own = impedance[from] ?? []
    const row = to === GROUND ? own : own.map((ohms, index) => ohms - (impedance[to]?.[index] ?? 0))
    const laws = new Map(this.moving.map(({ branch }) => [branch, branch.lawAt(atMs)]))
    const amps = this.ampsWith((source) => laws.get(source)?.volts ?? legOf(source).volts, legOf)
    const remembered = piece?.lawOf(this.#rowOf(row), atMs - laterMs)
    let slope = remembered?.slope ?? 0
    const sines: SineTerm[] = []
    for (const { branch, from: near, to: far } of this.moving) {
      const gain = ((row[near] ?? 0) - (row[far] ?? 0)) / legOf(branch).ohms
      const law = laws.get(branch)
      slope += (law?.voltsPerMs ?? 0) * gain
      if (law?.sine !== undefined) sines.push({ ...law.sine, amplitude: law.sine.amplitude * gain })
    }
    return new Law({
      originMs: atMs,
      constant: dot(row, amps) + (remembered?.constant ?? 0),
      slope,
      sines: [...sines, ...(remembered?.sines ?? [])].filter(({ amplitude }) => amplitude !== 0),
      decays: remembered?.decays ?? [],
      transient: remembered?.transient,
    })
  }

  /** What the rest of the network is for parts between these nodes while they do not conduct. */
  portsWith(parts: readonly Placed[], legOf: LegOf, state: readonly number[]): Ports {
    const impedance = this.#impedances.of(legOf)
    const amps = this.ampsWith((source) => legOf(source).volts, legOf)
    const volts = impedance.slice(0, this.size).map((row) => dot(row, amps) + dot(this.#rowOf(row), state))
    const across = (values: readonly number[], { from, to }: Placed): number => (values[from] ?? 0) - (values[to] ?? 0)
    return {
      openVolts: parts.map((part) => across(volts, part)),
      ohms: parts.map((part) => {
        const ohms = impedance.map((row) => across(row, part))
        return parts.map((other) => across(ohms, other))
      }),
    }
  }

  /** How the memories change from a state on while each source and each polygon has this leg. */
  pieceWith(legOf: LegOf, { fromMs, untilMs }: { fromMs: number; untilMs: number }, start: readonly number[]): StatePiece {
    const sources = this.moving.map(({ branch }) => branch)
    const laws = sources.map((source) => source.lawAt(fromMs))
    return new StatePiece(this.#forced(sources, [], laws, legOf), { fromMs, untilMs }, start)
  }

  /** State of one branch with memory. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    const first = this.#owner.findIndex(({ branch }) => branch === port)
    return first < 0 ? undefined : this.stateAt(atMs).slice(first, first + port.gains.length)
  }

  /** Current into each node from all sources whose laws give these voltages. */
  ampsWith(voltsOf: (source: Source) => number, legOf: LegOf): readonly number[] {
    const changing = this.#changing.map(({ branch, from, to }) => ({ amps: voltsOf(branch) / legOf(branch).ohms, from, to }))
    return this.#flows(changing, this.#steadyAmps)
  }

  /** For each port, its leg at the start, and after everything has settled. */
  portLegs(): readonly (Placed<Reactive> & { readonly legs: readonly Leg[] })[] {
    let before = 0
    return this.ports.map((port) => {
      const { volts, ohms, restOhms, gains, currents } = port.branch
      const amps = dot(currents, this.#start.slice(before, before + gains.length))
      before += gains.length
      return {
        ...port,
        legs: [
          { volts: volts - amps * ohms, ohms },
          { volts, ohms: restOhms },
        ],
      }
    })
  }

  averaging(sources: readonly Source[], fromMs: number): Plant {
    const means = new Map(sources.map((source) => [source, meanSource(source, fromMs)]))
    const legOf = (source: Source): Leg | undefined => means.get(source)
    return {
      fadesPerMs: this.fadesPerMs,
      averaging: (more, laterMs) => this.averaging([...sources, ...more], laterMs),
      forced: (slow, legs, laws) => this.#forced(slow, legs, laws, legOf),
    }
  }

  forced(sources: readonly Source[], legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    return this.#forced(sources, legs, laws, () => undefined)
  }

  #forced(
    sources: readonly Source[],
    legs: readonly Leg[],
    laws: readonly SourceLaw[],
    meanLegOf: (source: Source) => Leg | undefined,
  ): Forced {
    const legOf = (source: Source): Leg => meanLegOf(source) ?? legs[sources.indexOf(source)] ?? OPEN
    const lawOf = (source: Source): SourceLaw | undefined => laws[sources.indexOf(source)]
    const impedance = this.#impedances.of(legOf)
    const pushOf = (amps: readonly number[], isConstant = false): number[] => {
      const volts = impedance.map((row) => dot(row, amps))
      return this.#owner.map(({ branch, from, to, capacitor }, index) => {
        if (capacitor >= 0) return voltsPerAmpere(branch) * (volts[this.size + capacitor] ?? 0)
        const across = (volts[from] ?? 0) - (volts[to] ?? 0) - (isConstant ? branch.volts : 0)
        return across * (this.#system.gains[index] ?? 0)
      })
    }
    const level = (source: Source): number => lawOf(source)?.volts ?? legOf(source).volts
    const ramps = this.moving.map(({ branch, from, to }) => ({
      amps: (lawOf(branch)?.voltsPerMs ?? 0) / legOf(branch).ohms,
      from,
      to,
    }))
    const drive: Drive = {
      push: pushOf(this.ampsWith(level, legOf), true),
      pushPerMs: pushOf(this.#flows(ramps)),
      sines: this.moving.flatMap(({ branch, from, to }) => {
        const sine = lawOf(branch)?.sine
        if (sine === undefined) return []
        const amps = this.#flows([{ amps: sine.amplitude / legOf(branch).ohms, from, to }])
        return [{ radiansPerMs: sine.radiansPerMs, phase: sine.phase, push: pushOf(amps) }]
      }),
    }
    return new Forced(this.#system, drive, this.#propagatorOf(impedance))
  }

  #propagatorOf(impedance: Matrix): Propagator {
    const known = this.#propagators.get(impedance)
    if (known !== undefined) return known
    const propagator = new Propagator(this.#ratesWith(this.#system, impedance))
    if (this.#propagators.size >= Impedances.MOST_KEPT) this.#propagators.clear()
    this.#propagators.set(impedance, propagator)
    return propagator
  }

  /** How fast each component of the memories changes with each other one. */
  #ratesWith(system: MemorySystem, impedance: Matrix): Matrix {
    return system.rates.map((row, index) => {
      const owner = this.#owner[index]
      if (owner === undefined) return row
      const { branch, from, to, capacitor } = owner
      if (capacitor >= 0)
        return this.#rowOf(impedance[this.size + capacitor] ?? [], system).map((amps) => amps * voltsPerAmpere(branch))
      const [own, other] = [this.#rowOf(impedance[from] ?? [], system), this.#rowOf(impedance[to] ?? [], system)]
      const gain = system.gains[index] ?? 0
      return row.map((rate, column) => rate + gain * ((own[column] ?? 0) - (other[column] ?? 0)))
    })
  }

  /** What each component of the memories adds to the voltage of a node with these impedances. */
  #rowOf(impedances: readonly number[], { currents }: MemorySystem = this.#system): number[] {
    return this.#owner.map(({ from, to, capacitor }, index) =>
      capacitor >= 0
        ? (impedances[this.size + capacitor] ?? 0)
        : -(currents[index] ?? 0) * ((impedances[from] ?? 0) - (impedances[to] ?? 0)),
    )
  }

  #solved(legOf: LegOf) {
    return { impedance: this.#impedances.of(legOf), amps: this.ampsWith((source) => legOf(source).volts, legOf) }
  }

  #flows(flows: readonly { readonly amps: number; readonly from: number; readonly to: number }[], to: readonly number[] = []) {
    const sums = Array.from({ length: this.size + this.#capacitors.length }, (_, node) => to[node] ?? 0)
    for (const { amps, from, to: other } of flows) {
      if (from !== GROUND) sums[from] = (sums[from] ?? 0) + amps
      if (other !== GROUND) sums[other] = (sums[other] ?? 0) - amps
    }
    return sums
  }

  #fadesPerMs(system: MemorySystem): number {
    const rates = this.#impedances.extremes().map((impedance) => this.#ratesWith(system, impedance))
    return Math.min(...rates.map((matrix) => decayPerMs(matrix, system.weights)))
  }
}

const NO_TERMS: Terms = { originMs: 0, constant: 0, slope: 0, sines: [], decays: [], transient: undefined }
const OPEN: Leg = { volts: 0, ohms: Number.POSITIVE_INFINITY }

/** How fast the voltage of a capacitor grows with its current, in V per A and ms. */
function voltsPerAmpere({ gains, ohms }: Reactive): number {
  return (gains[0] ?? 0) * ohms
}

function isCapacitor({ branch }: Placed<Reactive>): boolean {
  return branch.fadesPerMs === 0
}

function isPolygon(placed: Placed): placed is Placed<Polygon> {
  return placed.branch instanceof Polygon
}

function isSource(placed: Placed): placed is Placed<Source> {
  return !isReactive(placed.branch)
}

function isPort(placed: Placed): placed is Placed<Reactive> {
  return isReactive(placed.branch)
}
