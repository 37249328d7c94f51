import type { SineTerm } from '../law.ts'
import type { Matrix } from './matrix.ts'
import { identity, plus, plusScaled, product, scaled, solved, times } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { Propagator } from './propagator.ts'

/** What drives the memories of a node: its voltage as it would be without their currents, and the resistance that these see. */
export interface Drive {
  readonly ohms: number
  readonly volts: number
  readonly voltsPerMs: number
  readonly sines: readonly SineTerm[]
}

/** The answer to a sine: one of the same frequency, in each part of the memory with a size and a phase of its own. */
export interface ForcedSine {
  readonly radiansPerMs: number
  readonly sine: readonly number[]
  readonly cosine: readonly number[]
}

/** The memories of a node under one drive, without what fades: what the drive keeps up, t ms after it began. */
export class Forced {
  readonly system: MemorySystem
  /** How what fades does so. */
  readonly propagator: Propagator
  readonly constant: readonly number[]
  readonly slope: readonly number[]
  readonly sines: readonly ForcedSine[]
  /** At the beginning. */
  readonly atFirst: readonly number[]

  /** `propagator` belongs to the resistance of the drive. */
  constructor(system: MemorySystem, drive: Drive, propagator: Propagator) {
    const { gains, volts } = system
    const { matrix } = propagator
    this.system = system
    this.propagator = propagator
    this.slope = drive.voltsPerMs === 0 ? scaled(gains, 0) : solved(matrix, scaled(gains, -drive.voltsPerMs))
    const push = gains.map((gain, index) => gain * (drive.volts - (volts[index] ?? 0)))
    this.constant = solved(matrix, plus(this.slope, scaled(push, -1)))
    this.sines = drive.sines.map((term) => answerTo(term, matrix, gains))
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

/** How the memories fade behind a resistance. */
export function propagatorOf({ rates, gains, currents }: MemorySystem, ohms: number): Propagator {
  const coupling = gains.map((gain) => scaled(currents, gain))
  return new Propagator(plusScaled(rates, coupling, -ohms))
}

function answerTo({ amplitude, radiansPerMs, phase }: SineTerm, matrix: Matrix, gains: readonly number[]): ForcedSine {
  const inPhase = scaled(gains, amplitude * Math.cos(phase))
  const ahead = scaled(gains, amplitude * Math.sin(phase))
  const left = plusScaled(product(matrix, matrix), identity(gains.length), radiansPerMs * radiansPerMs)
  const sine = solved(left, plus(scaled(times(matrix, inPhase), -1), scaled(ahead, radiansPerMs)))
  const cosine = scaled(plus(times(matrix, sine), inPhase), -1 / radiansPerMs)
  return { radiansPerMs, sine, cosine }
}
