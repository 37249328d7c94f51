import type { SineTerm, Terms } from './law.ts'
import type { Matrix } from './matrix.ts'
import { dot, exponential, plus, plusScaled, product, scaled, solved, times, identity } from './matrix.ts'
import type { MemorySystem } from './memory-system.ts'
import { FADED_TIME_CONSTANTS } from './memory-system.ts'
import { decaysOf, Transient } from './transient.ts'

/** What drives the memories of a node: its voltage as it would be without their currents, and the resistance that these see. */
export interface Drive {
  readonly ohms: number
  readonly volts: number
  readonly voltsPerMs: number
  readonly sines: readonly SineTerm[]
}

interface ForcedSine {
  readonly radiansPerMs: number
  readonly sine: readonly number[]
  readonly cosine: readonly number[]
}

/** The memories of a node over a stretch of time on which one law drives them: solved, not stepped through. */
export class StatePiece {
  readonly fromMs: number
  readonly untilMs: number
  readonly #system: MemorySystem
  readonly #matrix: Matrix
  /** What the drive keeps up: `#constant` + `#slope` × t + its sines. */
  readonly #constant: readonly number[]
  readonly #slope: readonly number[]
  readonly #sines: readonly ForcedSine[]
  /** What fades. */
  readonly #fading: readonly number[]

  constructor(system: MemorySystem, drive: Drive, stretch: { fromMs: number; untilMs: number }, start: readonly number[]) {
    const { gains, currents, rates, volts } = system
    this.fromMs = stretch.fromMs
    this.untilMs = stretch.untilMs
    this.#system = system
    this.#matrix = plusScaled(
      rates,
      gains.map((gain) => scaled(currents, gain)),
      -drive.ohms,
    )
    this.#slope = drive.voltsPerMs === 0 ? scaled(gains, 0) : solved(this.#matrix, scaled(gains, -drive.voltsPerMs))
    const push = gains.map((gain, index) => gain * (drive.volts - (volts[index] ?? 0)))
    this.#constant = solved(this.#matrix, plus(this.#slope, scaled(push, -1)))
    this.#sines = drive.sines.map((term) => this.#forced(term))
    this.#fading = plus(start, scaled(this.#kept(0), -1))
  }

  stateAt(atMs: number): readonly number[] {
    const t = atMs - this.fromMs
    return plus(this.#kept(t), this.#fadingAt(t))
  }

  /** How the current out of the node into the memories, times a factor, goes on from a moment of this stretch. */
  currentLaw(atMs: number, factor: number): Terms {
    const t = atMs - this.fromMs
    const row = scaled(this.#system.currents, factor)
    const start = this.#fadingAt(t)
    const decays = this.#isFaded(t) ? [] : decaysOf(this.#matrix, row, start)
    return {
      originMs: atMs,
      constant: dot(row, this.#constant) + dot(row, this.#slope) * t,
      slope: dot(row, this.#slope),
      sines: this.#sines.map(({ radiansPerMs, sine, cosine }) => {
        const [a, b] = [dot(row, sine), dot(row, cosine)]
        return { amplitude: Math.hypot(a, b), radiansPerMs, phase: Math.atan2(b, a) + radiansPerMs * t }
      }),
      decays: decays ?? [],
      transient: decays === undefined ? new Transient(this.#matrix, row, start, this.#system.weights) : undefined,
    }
  }

  #isFaded(t: number): boolean {
    return t * this.#system.fadesPerMs >= FADED_TIME_CONSTANTS
  }

  #fadingAt(t: number): number[] {
    if (this.#isFaded(t)) return scaled(this.#fading, 0)
    return times(exponential(this.#matrix.map((row) => scaled(row, t))), this.#fading)
  }

  #kept(t: number): readonly number[] {
    let sum = this.#constant
    if (t !== 0) sum = plus(sum, scaled(this.#slope, t))
    for (const { radiansPerMs, sine, cosine } of this.#sines) {
      const phase = radiansPerMs * t
      sum = plus(sum, plus(scaled(sine, Math.sin(phase)), scaled(cosine, Math.cos(phase))))
    }
    return sum
  }

  /** The answer to a sine: a sine of the same frequency, in each part of the memory with a size and a phase of its own. */
  #forced({ amplitude, radiansPerMs, phase }: SineTerm): ForcedSine {
    const { gains } = this.#system
    const inPhase = scaled(gains, amplitude * Math.cos(phase))
    const ahead = scaled(gains, amplitude * Math.sin(phase))
    const square = product(this.#matrix, this.#matrix)
    const left = plusScaled(square, identity(gains.length), radiansPerMs * radiansPerMs)
    const sine = solved(left, plus(scaled(times(this.#matrix, inPhase), -1), scaled(ahead, radiansPerMs)))
    const cosine = scaled(plus(times(this.#matrix, sine), inPhase), -1 / radiansPerMs)
    return { radiansPerMs, sine, cosine }
  }
}
