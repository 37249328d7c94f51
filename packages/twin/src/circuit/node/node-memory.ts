import type { Leg, Source } from '../branch.ts'
import type { Range } from '../curve.ts'
import type { Terms } from '../law.ts'
import { dot, scaled } from '../memory/matrix.ts'
import { FADED_TIME_CONSTANTS, type MemorySystem, memorySystem } from '../memory/memory-system.ts'
import { NodePlant } from '../memory/plant.ts'
import type { Reactive } from '../memory/reactive.ts'
import { Trajectory } from '../memory/trajectory.ts'
import { type Flow, hull, voltsOf } from './mean.ts'

/** Initial memory of the reactive branches of a new node. */
export interface Memory {
  readonly fromMs: number
  /** Initial state of a branch; undefined for 0. */
  readonly of: (port: Reactive) => readonly number[] | undefined
}

/** The reactive ports of a node, and their state at any moment. */
export class NodeMemory {
  readonly #ports: readonly Reactive[]
  readonly #system: MemorySystem
  readonly #start: readonly number[]
  readonly #trajectory: Trajectory
  /** Trajectories with the fastest sources averaged, by their number. */
  readonly #averages = new Map<number, Trajectory>()
  /** From this moment on the sources repeat, if they have a period. */
  readonly settlesFromMs: number
  /** From this moment on the initial state has decayed. */
  readonly fadedFromMs: number

  /** `steady` contains everything that conducts steadily on the node, the ports included. */
  constructor(
    ports: readonly Reactive[],
    steady: Flow,
    moving: readonly Source[],
    memory: Memory = { fromMs: 0, of: () => undefined },
  ) {
    const { fromMs, of } = memory
    this.#ports = ports
    this.#system = memorySystem(ports)
    this.#start = ports.flatMap((port) => fitting(of(port), port))
    this.#trajectory = new Trajectory(new NodePlant(this.#system, steady), moving, fromMs, this.#start)
    this.settlesFromMs = Math.max(fromMs, ...moving.map((source) => source.regularFromMs))
    this.fadedFromMs = this.settlesFromMs + FADED_TIME_CONSTANTS / this.#system.fadesPerMs
  }

  stateOf(port: Reactive, atMs: number): readonly number[] | undefined {
    const index = this.#ports.indexOf(port)
    if (index < 0) return undefined
    const before = this.#ports.slice(0, index).reduce((sum, { gains }) => sum + gains.length, 0)
    return this.#trajectory
      .pieceAt(atMs)
      .stateAt(atMs)
      .slice(before, before + port.gains.length)
  }

  /** Current from the node into the state of the ports, in ampere, without their direct conduction. `averaged` sources count by their mean. */
  ampsAt(atMs: number, averaged: readonly Source[] = []): number {
    const trajectory = averaged.length === 0 ? this.#trajectory : this.#averaging(averaged)
    return dot(this.#system.currents, trajectory.pieceAt(atMs).stateAt(atMs))
  }

  #averaging(averaged: readonly Source[]): Trajectory {
    const known = this.#averages.get(averaged.length)
    const trajectory = known ?? this.#trajectory.averaging(averaged)
    if (known === undefined) this.#averages.set(averaged.length, trajectory)
    return trajectory
  }

  /** The law of this current, times a factor, from `atMs` on. */
  law(atMs: number, factor: number): Terms {
    return this.#trajectory.pieceAt(atMs).lawOf(scaled(this.#system.currents, factor), atMs)
  }

  /** For each port, its leg at the start, and after everything has settled. */
  legs(): readonly (readonly Leg[])[] {
    let before = 0
    return this.#ports.map(({ volts, ohms, restOhms, gains, currents }) => {
      const amps = dot(currents, this.#start.slice(before, before + gains.length))
      before += gains.length
      return [
        { volts: volts - amps * ohms, ohms },
        { volts, ohms: restOhms },
      ]
    })
  }

  /**
   * Bounds of `ampsAt` for any sources within these flows. A single memory always moves towards the settled state of one of them; several
   * memories may overshoot.
   */
  ampsRange(flows: readonly Flow[]): Range {
    const [rate, ...more] = this.#system.rates
    const [gain = 0] = this.#system.gains
    const [current = 0] = this.#system.currents
    const [volts = 0] = this.#system.volts
    if (more.length > 0) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    const settled = flows.map((flow) => (gain * (voltsOf(flow) - volts)) / ((gain * current) / flow.siemens - (rate?.[0] ?? 0)))
    return hull([...this.#start, ...settled].map((state) => state * current))
  }
}

/** The state of a port if it has the right size; otherwise 0. */
export function fitting(state: readonly number[] | undefined, port: Reactive): readonly number[] {
  return state?.length === port.gains.length ? state : port.gains.map(() => 0)
}
