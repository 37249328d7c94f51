import { isReactive, type Leg, type Source, type SourceLaw, Steady } from '../branch.ts'
import { type Drive, Forced } from '../memory/forced.ts'
import { dot, type Matrix } from '../memory/matrix.ts'
import { FADED_TIME_CONSTANTS, type MemorySystem, memorySystem } from '../memory/memory-system.ts'
import type { Plant } from '../memory/plant.ts'
import { Propagator } from '../memory/propagator.ts'
import type { Reactive } from '../memory/reactive.ts'
import { Trajectory } from '../memory/trajectory.ts'
import type { LegOf } from '../node/mean.ts'
import { fitting, type Memory } from '../node/node-memory.ts'
import type { Settled } from '../node/solved-node.ts'
import { decayPerMs } from './decay.ts'
import { GROUND, Impedances, type Placed } from './impedances.ts'
import { meanSource } from './mean-source.ts'

/** Several nodes that resistors and capacitors join, between two changes of their wiring: a pure function of time. */
export class Network implements Plant {
  readonly size: number
  readonly sources: readonly Placed<Source>[]
  readonly ports: readonly Placed<Reactive>[]
  /** The sources that are not steady. */
  readonly moving: readonly Placed<Source>[]
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
    this.moving = this.sources.filter(({ branch }) => !(branch instanceof Steady))
    const steady = this.sources.flatMap((each) => (each.branch instanceof Steady ? [{ ...each, leg: each.branch.leg }] : []))
    const capacitors = this.ports.filter(isCapacitor)
    const others = this.ports.filter((port) => !isCapacitor(port))
    const direct = [...steady, ...others.map((port) => ({ ...port, leg: port.branch }))]
    this.#capacitors = capacitors
    const steadyAmps = this.#flows(direct.map(({ leg, from, to }) => ({ amps: leg.volts / leg.ohms, from, to })))
    this.#steadyAmps = [...steadyAmps.slice(0, size), ...capacitors.map(({ branch }) => branch.volts)]
    this.#impedances = new Impedances(size, direct, this.moving, capacitors)
    this.#owner = this.ports.flatMap((port) => port.branch.gains.map(() => ({ ...port, capacitor: capacitors.indexOf(port) })))
    this.#start = this.ports.flatMap(({ branch }) => fitting(memory.of(branch), branch))
    const system = memorySystem(this.ports.map(({ branch }) => branch))
    this.#system = this.ports.length === 0 ? system : { ...system, fadesPerMs: this.#fadesPerMs(system) }
    if (this.ports.length === 0) return
    const sources = this.moving.map(({ branch }) => branch)
    this.#trajectory = new Trajectory(this, sources, memory.fromMs, this.#start)
    const settlesFromMs = Math.max(memory.fromMs, ...sources.map((source) => source.regularFromMs))
    this.settled = { settlesFromMs, fadedFromMs: settlesFromMs + FADED_TIME_CONSTANTS / this.fadesPerMs }
  }

  get fadesPerMs(): number {
    return this.#system.fadesPerMs
  }

  /** The voltages of all nodes while each source shows its leg, with the state of the memories. */
  voltsWith(legOf: LegOf, state: readonly number[]): readonly number[] {
    const { impedance, amps } = this.#solved(legOf)
    return impedance.slice(0, this.size).map((row) => dot(row, amps) + dot(this.#rowOf(row), state))
  }

  /** State of the memories at a moment; `averaged` sources count by their mean. */
  stateAt(atMs: number, averaged: readonly Source[] = []): readonly number[] {
    if (this.#trajectory === undefined) return []
    return this.#averaging(this.#trajectory, averaged).pieceAt(atMs).stateAt(atMs)
  }

  #averaging(trajectory: Trajectory, averaged: readonly Source[]): Trajectory {
    if (averaged.length === 0) return trajectory
    const known = this.#averages.get(averaged.length) ?? trajectory.averaging(averaged)
    this.#averages.set(averaged.length, known)
    return known
  }

  /** State of one branch with memory. */
  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    const first = this.#owner.findIndex(({ branch }) => branch === port)
    return first < 0 ? undefined : this.stateAt(atMs).slice(first, first + port.gains.length)
  }

  /** The law of the part that the memories have in a node's voltage. */
  memoryLaw(node: number, atMs: number) {
    const { impedance } = this.#solved((source) => source.legAt(atMs))
    return this.#trajectory?.pieceAt(atMs).lawOf(this.#rowOf(impedance[node] ?? []), atMs)
  }

  /** Volts at a node per ampere into each node. */
  ohmsOf(node: number, atMs: number): readonly number[] {
    return this.#impedances.of((source) => source.legAt(atMs))[node] ?? []
  }

  /** Current into each node from all sources whose laws give these voltages. */
  ampsWith(voltsOf: (source: Source) => number, legOf: LegOf): readonly number[] {
    const moving = this.moving.map(({ branch, from, to }) => ({ amps: voltsOf(branch) / legOf(branch).ohms, from, to }))
    return this.#flows(moving, this.#steadyAmps)
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
    meanOf: (source: Source) => Leg | undefined,
  ): Forced {
    const legOf = (source: Source): Leg => meanOf(source) ?? legs[sources.indexOf(source)] ?? OPEN
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

const OPEN: Leg = { volts: 0, ohms: Number.POSITIVE_INFINITY }

/** How fast the voltage of a capacitor grows with its current, in V per A and ms. */
function voltsPerAmpere({ gains, ohms }: Reactive): number {
  return (gains[0] ?? 0) * ohms
}

function isCapacitor({ branch }: Placed<Reactive>): boolean {
  return branch.fadesPerMs === 0
}

function isSource(placed: Placed): placed is Placed<Source> {
  return !isReactive(placed.branch)
}

function isPort(placed: Placed): placed is Placed<Reactive> {
  return isReactive(placed.branch)
}
