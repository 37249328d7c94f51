import { identity, inverseOf, type Matrix, plus, plusScaled, product, scaled, times } from './matrix.ts'
import type { MatrixExponential } from './matrix-exponential.ts'

/** A vector in time: `constant` + `slope` × t + sines. */
export interface Forced {
  readonly constant: readonly number[]
  readonly slope: readonly number[]
  readonly sines: readonly ForcedSine[]
}

/** `sine` × sin(`radiansPerMs` × t) + `cosine` × cos(`radiansPerMs` × t). */
export interface ForcedSine {
  readonly radiansPerMs: number
  readonly sine: readonly number[]
  readonly cosine: readonly number[]
}

/** The forced response of the states to an excitation, B u of the state equations: it has the same form. */
export function forcedResponse({ constant, slope, sines }: Forced, exponential: MatrixExponential): Forced {
  const isFlat = slope.every((value) => value === 0)
  const ramp = isFlat ? slope : exponential.solved(scaled(slope, -1))
  return {
    slope: ramp,
    constant: exponential.solved(plus(ramp, scaled(constant, -1))),
    sines: sines.map((term) => sineResponse(term, exponential.matrix)),
  }
}

/** The vector at a time. */
export function forcedAt({ constant, slope, sines }: Forced, t: number): readonly number[] {
  const steady = t === 0 ? constant : plus(constant, scaled(slope, t))
  return sines.reduce((sum, { radiansPerMs, sine, cosine }) => {
    const phase = radiansPerMs * t
    return plus(sum, plus(scaled(sine, Math.sin(phase)), scaled(cosine, Math.cos(phase))))
  }, steady)
}

/** Compares the coefficients of sine and cosine in x' = A x + B u. */
function sineResponse({ radiansPerMs, sine, cosine }: ForcedSine, matrix: Matrix): ForcedSine {
  const left = plusScaled(product(matrix, matrix), identity(sine.length), radiansPerMs ** 2)
  const inPhase = times(inverseOf(left), plus(scaled(times(matrix, sine), -1), scaled(cosine, radiansPerMs)))
  return { radiansPerMs, sine: inPhase, cosine: scaled(plus(times(matrix, inPhase), sine), -1 / radiansPerMs) }
}
