import { Elimination, identity, type Matrix, plus, plusScaled, product, scaled, times } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { Propagator } from './propagator.ts'

/** How the sources push each component of the memory system, per ms. */
export interface Drive {
  readonly push: readonly number[]
  readonly pushPerMs: readonly number[]
  readonly sines: readonly SinePush[]
}

/** `push` × sin(`radiansPerMs` × t + `phase`). */
export interface SinePush {
  readonly push: readonly number[]
  readonly radiansPerMs: number
  readonly phase: number
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

  /** `propagator` must belong to the circuit of the drive. */
  constructor(system: MemorySystem, drive: Drive, propagator: Propagator) {
    this.system = system
    this.propagator = propagator
    const isFlat = drive.pushPerMs.every((push) => push === 0)
    this.slope = isFlat ? scaled(drive.pushPerMs, 0) : propagator.solved(scaled(drive.pushPerMs, -1))
    this.constant = propagator.solved(plus(this.slope, scaled(drive.push, -1)))
    this.sines = drive.sines.map((term) => sineResponse(term, propagator.matrix))
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

function sineResponse({ push, radiansPerMs, phase }: SinePush, matrix: Matrix): ForcedSine {
  const inPhase = scaled(push, Math.cos(phase))
  const ahead = scaled(push, Math.sin(phase))
  const left = plusScaled(product(matrix, matrix), identity(push.length), radiansPerMs * radiansPerMs)
  const sine = new Elimination(left).solved(plus(scaled(times(matrix, inPhase), -1), scaled(ahead, radiansPerMs)))
  const cosine = scaled(plus(times(matrix, sine), inPhase), -1 / radiansPerMs)
  return { radiansPerMs, sine, cosine }
}
