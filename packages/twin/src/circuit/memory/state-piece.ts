import type { Terms } from '../law.ts'
import type { Forced } from './forced.ts'
import { dot, plus, scaled } from './matrix.ts'
import { isFaded } from './memory-system.ts'
import { decaysOf, Transient } from './transient.ts'

/** State of a node's memories on an interval with one driving law: solved in closed form. */
export class StatePiece {
  readonly fromMs: number
  readonly untilMs: number
  readonly forced: Forced
  /** The decaying part, at the start. */
  readonly #fading: readonly number[]
  /** The last computed state: one moment is asked for several times. */
  #last: { readonly atMs: number; readonly state: readonly number[] } | undefined

  constructor(forced: Forced, stretch: { fromMs: number; untilMs: number }, start: readonly number[]) {
    this.fromMs = stretch.fromMs
    this.untilMs = stretch.untilMs
    this.forced = forced
    this.#fading = plus(start, scaled(forced.atFirst, -1))
  }

  stateAt(atMs: number): readonly number[] {
    if (this.#last?.atMs !== atMs) {
      const t = atMs - this.fromMs
      this.#last = { atMs, state: plus(this.forced.at(t), this.#fadingAt(t)) }
    }
    return this.#last.state
  }

  /** The law of a row times the state, from a moment of this interval on. */
  lawOf(row: readonly number[], atMs: number): Terms {
    const t = atMs - this.fromMs
    const { system, propagator, constant, slope, sines } = this.forced
    const start = this.#fadingAt(t)
    const decays = isFaded(system, t) ? [] : decaysOf(propagator.matrix, row, start)
    return {
      originMs: atMs,
      constant: dot(row, constant) + dot(row, slope) * t,
      slope: dot(row, slope),
      sines: sines.map(({ radiansPerMs, sine, cosine }) => {
        const [a, b] = [dot(row, sine), dot(row, cosine)]
        return { amplitude: Math.hypot(a, b), radiansPerMs, phase: Math.atan2(b, a) + radiansPerMs * t }
      }),
      decays: decays ?? [],
      transient: decays === undefined ? new Transient(propagator, row, start, system.weights) : undefined,
    }
  }

  #fadingAt(t: number): readonly number[] {
    const { system, propagator } = this.forced
    return isFaded(system, t) ? scaled(this.#fading, 0) : propagator.after(t, this.#fading)
  }
}
