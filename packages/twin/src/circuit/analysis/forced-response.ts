import { Elimination, identity, type Matrix, plus, plusScaled, product, scaled, times } from './matrix.ts'
import type { MatrixExponential } from './matrix-exponential.ts'

/** B u of the state equations, for each state. */
export interface Excitation {
  readonly constant: readonly number[]
  readonly slope: readonly number[]
  readonly sines: readonly SineExcitation[]
}

/** `amplitude` × sin(`radiansPerMs` × t + `phase`). */
export interface SineExcitation {
  readonly amplitude: readonly number[]
  readonly radiansPerMs: number
  readonly phase: number
}

/** Response to a sine: the same frequency, with a separate amplitude and phase in each component. */
export interface ForcedSine {
  readonly radiansPerMs: number
  readonly sine: readonly number[]
  readonly cosine: readonly number[]
}

/** The forced response of the states to an excitation, t ms after its start: a constant, a slope and sines like those of the excitation. */
export class ForcedResponse {
  /** That of the natural response. */
  readonly exponential: MatrixExponential
  readonly constant: readonly number[]
  readonly slope: readonly number[]
  readonly sines: readonly ForcedSine[]
  /** State at the start. */
  readonly atFirst: readonly number[]

  /** `exponential` must belong to the circuit of the excitation. */
  constructor(excitation: Excitation, exponential: MatrixExponential) {
    this.exponential = exponential
    const isFlat = excitation.slope.every((value) => value === 0)
    this.slope = isFlat ? scaled(excitation.slope, 0) : exponential.solved(scaled(excitation.slope, -1))
    this.constant = exponential.solved(plus(this.slope, scaled(excitation.constant, -1)))
    this.sines = excitation.sines.map((term) => sineResponse(term, exponential.matrix))
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

function sineResponse({ amplitude, radiansPerMs, phase }: SineExcitation, matrix: Matrix): ForcedSine {
  const inPhase = scaled(amplitude, Math.cos(phase))
  const ahead = scaled(amplitude, Math.sin(phase))
  const left = plusScaled(product(matrix, matrix), identity(amplitude.length), radiansPerMs * radiansPerMs)
  const sine = new Elimination(left).solved(plus(scaled(times(matrix, inPhase), -1), scaled(ahead, radiansPerMs)))
  const cosine = scaled(plus(times(matrix, sine), inPhase), -1 / radiansPerMs)
  return { radiansPerMs, sine, cosine }
}
