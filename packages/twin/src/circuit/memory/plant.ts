import type { Leg, Source, SourceLaw } from '../branch.ts'
import { type Flow, joined, type LegOf, meanOf, voltsOf } from '../node/mean.ts'
import { type Drive, Forced, propagatorOf } from './forced.ts'
import { scaled } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import type { Propagator } from './propagator.ts'

/** Number of results to cache. */
const MAX_KEPT = 16

/** What a trajectory needs from a circuit: how its memories respond to its sources. */
export interface Plant {
  /** Lower bound of the decay rate of the memories. */
  readonly fadesPerMs: number
  /** The same circuit with these sources counting by their mean. */
  averaging(sources: readonly Source[], fromMs: number): Plant
  /** The response while these sources show these legs and follow these laws. */
  forced(sources: readonly Source[], legs: readonly Leg[], laws: readonly SourceLaw[]): Forced
}

/** The plant of a single node. */
export class NodePlant implements Plant {
  readonly #system: MemorySystem
  /** The node without its moving sources and without its memories. */
  readonly #rest: Flow
  readonly #average: Average | undefined
  /** Cached propagators by resistance. */
  readonly #propagators = new Map<number, Propagator>()

  constructor(system: MemorySystem, rest: Flow, average?: Average) {
    this.#system = system
    this.#rest = rest
    this.#average = average
  }

  get fadesPerMs(): number {
    return this.#system.fadesPerMs
  }

  averaging(sources: readonly Source[], fromMs: number): Plant {
    return new NodePlant(this.#system, this.#rest, new Average(sources, fromMs))
  }

  forced(_sources: readonly Source[], legs: readonly Leg[], laws: readonly SourceLaw[]): Forced {
    const { ohms, volts, voltsPerMs, sines } = this.#drive(legs, laws)
    const { gains } = this.#system
    const drive: Drive = {
      push: gains.map((gain, index) => gain * (volts - (this.#system.volts[index] ?? 0))),
      pushPerMs: scaled(gains, voltsPerMs),
      sines: sines.map(({ amplitude, radiansPerMs, phase }) => ({ radiansPerMs, phase, push: scaled(gains, amplitude) })),
    }
    const known = this.#propagators.get(ohms)
    const propagator = known ?? propagatorOf(this.#system, ohms)
    if (known === undefined && this.#propagators.size < MAX_KEPT) this.#propagators.set(ohms, propagator)
    return new Forced(this.#system, drive, propagator)
  }

  #drive(legs: readonly Leg[], laws: readonly SourceLaw[]) {
    let { siemens, amps } = this.#rest
    let ampsPerMs = 0
    for (const [index, { volts, voltsPerMs }] of laws.entries()) {
      const ohms = legs[index]?.ohms ?? Number.POSITIVE_INFINITY
      siemens += 1 / ohms
      amps += volts / ohms
      ampsPerMs += voltsPerMs / ohms
    }
    const { ohms, volts } =
      this.#average === undefined ? openCircuit({ siemens, amps }) : this.#average.openCircuit({ siemens, amps })
    const sines = laws.flatMap(({ sine }, index) =>
      sine === undefined
        ? []
        : [{ ...sine, amplitude: (sine.amplitude * ohms) / (legs[index]?.ohms ?? Number.POSITIVE_INFINITY) }],
    )
    return { ohms, volts, voltsPerMs: ampsPerMs * ohms, sines }
  }
}

/** The voltage of a node without its memories, and the resistance seen by them. */
interface OpenCircuit {
  readonly ohms: number
  readonly volts: number
}

function openCircuit({ siemens, amps }: Flow): OpenCircuit {
  return { ohms: 1 / siemens, volts: amps / siemens }
}

/** The mean effect of fast sources on a node. */
class Average {
  readonly #sources: readonly Source[]
  readonly #fromMs: number
  /** By the conductance of the slow sources. */
  readonly #known = new Map<number, { readonly ohms: number; readonly fastVolts: number }>()

  constructor(sources: readonly Source[], fromMs: number) {
    this.#sources = sources
    this.#fromMs = fromMs
  }

  openCircuit({ siemens, amps }: Flow): OpenCircuit {
    const known = this.#known.get(siemens) ?? this.#with(siemens)
    if (this.#known.size < MAX_KEPT) this.#known.set(siemens, known)
    return { ohms: known.ohms, volts: amps * known.ohms + known.fastVolts }
  }

  #with(siemens: number) {
    const flow = (legOf: LegOf): Flow => this.#sources.map(legOf).reduce(joined, { siemens, amps: 0 })
    const ohms = this.#mean((legOf) => 1 / flow(legOf).siemens)
    return { ohms, fastVolts: this.#mean((legOf) => voltsOf(flow(legOf))) }
  }

  #mean(of: (legOf: LegOf) => number): number {
    const at = (ms: number): number => of((source) => source.legAt(ms))
    return meanOf(this.#sources, this.#fromMs, { at, with: of, isFlat: this.#sources.every((source) => source.isStepped) })
  }
}
