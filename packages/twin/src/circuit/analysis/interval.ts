import { type Decay, hasFaded } from './decay.ts'
import { type Forced, forcedAt } from './forced-response.ts'
import { dot, plus, scaled } from './matrix.ts'
import type { MatrixExponential } from './matrix-exponential.ts'
import { NaturalResponse } from './natural-response.ts'
import type { Terms } from './waveform.ts'

/**
 * The states of a circuit while no part changes its segment and no source its waveform. The solution is the forced response of the sources plus a
 * natural response that decays: x(t) = forced(t) + e^(A t) × (x(0) − forced(0)).
 */
export class Interval {
  readonly fromMs: number
  readonly untilMs: number
  /** The segment of each piecewise-linear part. */
  readonly segments: readonly number[]
  readonly #decay: Decay
  readonly #exponential: MatrixExponential
  readonly #forced: Forced
  /** The natural response at the start. */
  readonly #natural: readonly number[]
  /** The last computed state: one moment is asked for several times. */
  #last: { readonly atMs: number; readonly state: readonly number[] } | undefined

  constructor(
    { decay, exponential, forced }: { decay: Decay; exponential: MatrixExponential; forced: Forced },
    { fromMs, untilMs, segments }: Pick<Interval, 'fromMs' | 'untilMs' | 'segments'>,
    start: readonly number[],
  ) {
    this.fromMs = fromMs
    this.untilMs = untilMs
    this.segments = segments
    this.#decay = decay
    this.#exponential = exponential
    this.#forced = forced
    this.#natural = plus(start, scaled(forcedAt(forced, 0), -1))
  }

  stateAt(atMs: number): readonly number[] {
    if (this.#last?.atMs !== atMs) {
      const t = Math.max(0, atMs - this.fromMs)
      this.#last = { atMs, state: plus(forcedAt(this.#forced, t), this.#naturalAt(t)) }
    }
    return this.#last.state
  }

  /** The waveform of a row times the state, from a moment of this interval on. */
  waveformOf(row: readonly number[], atMs: number): Terms {
    const t = atMs - this.fromMs
    const { constant, slope, sines } = this.#forced
    const isFaded = hasFaded(this.#decay, t)
    return {
      originMs: atMs,
      constant: dot(row, constant) + dot(row, slope) * t,
      slope: dot(row, slope),
      sines: sines.map(({ radiansPerMs, sine, cosine }) => {
        const [a, b] = [dot(row, sine), dot(row, cosine)]
        return { amplitude: Math.hypot(a, b), radiansPerMs, phase: Math.atan2(b, a) + radiansPerMs * t }
      }),
      natural: isFaded ? undefined : new NaturalResponse(this.#exponential, row, this.#naturalAt(t), this.#decay.weights),
    }
  }

  #naturalAt(t: number): readonly number[] {
    return hasFaded(this.#decay, t) ? scaled(this.#natural, 0) : this.#exponential.after(t, this.#natural)
  }
}
