import type { Leg, Source } from '../branch.ts'
import type { Range } from '../curve.ts'
import type { Terms } from '../law.ts'
import { dot } from '../memory/matrix.ts'
import type { MemorySystem } from '../memory/memory-system.ts'
import { FADED_TIME_CONSTANTS, memorySystem } from '../memory/memory-system.ts'
import type { Reactive } from '../memory/reactive.ts'
import { Trajectory } from '../memory/trajectory.ts'
import type { Flow } from './bounds.ts'
import { hull, voltsOf } from './bounds.ts'

/** What reactive branches bring with them when a node begins. */
export interface Memory {
  readonly fromMs: number
  /** What a branch remembers; undefined: nothing. */
  readonly of: (port: Reactive) => readonly number[] | undefined
}

/** The reactive ports of a node, and what they remember at any moment. */
export class NodeMemory {
  readonly #ports: readonly Reactive[]
  readonly #system: MemorySystem
  readonly #start: readonly number[]
  readonly #trajectory: Trajectory
  /** From this moment on the sources do the same again and again, if they have a period. */
  readonly settlesFromMs: number
  /** From this moment on nothing is left of what they remembered at the start. */
  readonly fadedFromMs: number

  /** `steady` is what conducts steadily on the node, the ports themselves included. */
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
    this.#trajectory = new Trajectory(this.#system, steady, moving, fromMs, this.#start)
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

  /** Ampere that leave the node into what the ports remember, beside what they conduct at once. */
  ampsAt(atMs: number): number {
    return dot(this.#system.currents, this.#trajectory.pieceAt(atMs).stateAt(atMs))
  }

  /** How this current, times a factor, goes on from `atMs`. */
  law(atMs: number, factor: number): Terms {
    return this.#trajectory.pieceAt(atMs).currentLaw(atMs, factor)
  }

  /** For each port what it is at the start, and when everything has settled. */
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
   * Bounds of `ampsAt`, whatever the sources do, which give one of these flows or something between them. A single memory always moves
   * towards where one of them would settle it; several may swing beyond.
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

/** What a port remembers, if it is of its kind; otherwise nothing. */
function fitting(state: readonly number[] | undefined, port: Reactive): readonly number[] {
  return state?.length === port.gains.length ? state : port.gains.map(() => 0)
}
