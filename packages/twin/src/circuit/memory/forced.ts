import type { SineTerm } from '../law.ts'
import { Elimination, identity, type Matrix, plus, plusScaled, product, scaled, times } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { Propagator } from './propagator.ts'

/** Input of the memory system: the node's voltage without the memory currents, and the resistance seen by them. */
export interface Drive {
  readonly ohms: number
  readonly volts: number
  readonly voltsPerMs: number
  readonly sines: readonly SineTerm[]
}

/** Response to a sine: the same frequency, with a separate amplitude and phase in each component. */
export interface ForcedSine {
  readonly radiansPerMs: number
  readonly sine: readonly number[]
  readonly cosine: readonly number[]
}

/** Forced response of the memory system to one drive, without the decaying part, t ms after its start. */
export class Forced {
  readonly system: MemorySystem
  /** Propagator of the decaying part. */
  readonly propagator: Propagator
  readonly constant: readonly number[]
  readonly slope: readonly number[]
  readonly sines: readonly ForcedSine[]
  /** State at the start. */
  readonly atFirst: readonly number[]

  /** `propagator` must belong to the resistance of the drive. */
  constructor(system: MemorySystem, drive: Drive, propagator: Propagator) {
    const { gains, volts } = system
    const { matrix } = propagator
    this.system = system
    this.propagator = propagator
    this.slope = drive.voltsPerMs === 0 ? scaled(gains, 0) : propagator.solved(scaled(gains, -drive.voltsPerMs))
    const push = gains.map((gain, index) => gain * (drive.volts - (volts[index] ?? 0)))
    this.constant = propagator.solved(plus(this.slope, scaled(push, -1)))
    this.sines = drive.sines.map((term) => sineResponse(term, matrix, gains))
    this.atFirst = this.sines.reduce((sum, { cosine }) => plus(sum, cosine), this.constant)
  }

  at(t: number): readonly number[] {
    const steady = t === 0 ? this.constant : plus(this.constant, scaled(this.slope, t))
    return this.sines.reduce((sum, { radiansPerMs, sine, cosine }) => {
      const phase = radiansPerMs * t
      return plus(sum, plus(scaled(sine, Math.sin(phase)), scaled(cosine, Math.cos(phase))))
    }, steady)
  }
}

/** The propagator for the decay of the memories behind a resistance. */
export function propagatorOf({ rates, gains, currents }: MemorySystem, ohms: number): Propagator {
  const coupling = gains.map((gain) => scaled(currents, gain))
  return new Propagator(plusScaled(rates, coupling, -ohms))
}

function sineResponse({ amplitude, radiansPerMs, phase }: SineTerm, matrix: Matrix, gains: readonly number[]): ForcedSine {
  const inPhase = scaled(gains, amplitude * Math.cos(phase))
  const ahead = scaled(gains, amplitude * Math.sin(phase))
  const left = plusScaled(product(matrix, matrix), identity(gains.length), radiansPerMs * radiansPerMs)
  const sine = new Elimination(left).solved(plus(scaled(times(matrix, inPhase), -1), scaled(ahead, radiansPerMs)))
  const cosine = scaled(plus(times(matrix, sine), inPhase), -1 / radiansPerMs)
  return { radiansPerMs, sine, cosine }
}
