import { type Decay, isFaded } from './decay.ts'
import type { ForcedResponse } from './forced-response.ts'
import { dot, plus, scaled } from './matrix.ts'
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
  readonly #forced: ForcedResponse
  /** The natural response at the start. */
  readonly #natural: readonly number[]
  /** The last computed state: one moment is asked for several times. */
  #last: { readonly atMs: number; readonly state: readonly number[] } | undefined

  constructor(
    decay: Decay,
    forced: ForcedResponse,
    { fromMs, untilMs, segments }: { fromMs: number; untilMs: number; segments: readonly number[] },
    start: readonly number[],
  ) {
    this.fromMs = fromMs
    this.untilMs = untilMs
    this.segments = segments
    this.#decay = decay
    this.#forced = forced
    this.#natural = plus(start, scaled(forced.atFirst, -1))
  }

  stateAt(atMs: number): readonly number[] {
    if (this.#last?.atMs !== atMs) {
      const t = Math.max(0, atMs - this.fromMs)
      this.#last = { atMs, state: plus(this.#forced.at(t), this.#naturalAt(t)) }
    }
    return this.#last.state
  }

  /** The waveform of a row times the state, from a moment of this interval on. */
  waveformOf(row: readonly number[], atMs: number): Terms {
    const t = atMs - this.fromMs
    const { exponential, constant, slope, sines } = this.#forced
    return {
      originMs: atMs,
      constant: dot(row, constant) + dot(row, slope) * t,
      slope: dot(row, slope),
      sines: sines.map(({ radiansPerMs, sine, cosine }) => {
        const [a, b] = [dot(row, sine), dot(row, cosine)]
        return { amplitude: Math.hypot(a, b), radiansPerMs, phase: Math.atan2(b, a) + radiansPerMs * t }
      }),
      natural: isFaded(this.#decay, t)
        ? undefined
        : new NaturalResponse(exponential, row, this.#naturalAt(t), this.#decay.weights),
    }
  }

  #naturalAt(t: number): readonly number[] {
    return isFaded(this.#decay, t) ? scaled(this.#natural, 0) : this.#forced.exponential.after(t, this.#natural)
  }
}
