import { hull } from '../analysis/mean.ts'
import type { Source, SourceWaveform, Thevenin } from '../branch.ts'

/** Repeated recordings with more samples count as waves without a period, whose searches look ahead over a number of samples. */
const MAX_REPEATED_SAMPLES = 200

/** A recorded voltage, in ms since its start; times never fall. */
export interface Sample {
  readonly ms: number
  readonly volts: number
}

/** Recorded voltages, joined by straight lines: once, or again and again. Two samples of one moment are a jump. */
export class Recording implements Source {
  readonly extremes: readonly Thevenin[]
  readonly periodMs: number
  readonly repeats: boolean
  readonly isStepped = false
  readonly regularFromMs: number
  readonly #samples: readonly Sample[]
  readonly #startMs: number
  readonly #lengthMs: number
  readonly #repeated: boolean
  readonly #ohms: number

  /** There are two samples or more, the first one at 0 ms. Before the start and after the end the voltage stays. */
  constructor(of: { samples: readonly Sample[]; startMs: number; repeated: boolean; ohms: number }) {
    const { samples, startMs, repeated, ohms } = of
    this.#samples = samples
    this.#startMs = startMs
    this.#repeated = repeated
    this.#ohms = ohms
    this.#lengthMs = samples.at(-1)?.ms ?? 0
    this.extremes = hull(samples.map(({ volts }) => volts)).map((volts) => ({ volts, ohms }))
    this.repeats = !repeated || samples.length <= MAX_REPEATED_SAMPLES
    this.periodMs = this.repeats ? this.#lengthMs : shortestOf(samples)
    if (!repeated) this.periodMs = 0
    this.regularFromMs = repeated ? Number.NEGATIVE_INFINITY : startMs + this.#lengthMs
  }

  theveninAt(atMs: number): Thevenin {
    const { volts } = this.waveformAt(atMs)
    return { volts, ohms: this.#ohms }
  }

  turnAfter(atMs: number): number {
    const { index, baseMs } = this.#placeOf(atMs)
    const next = this.#samples[index + 1]
    return next === undefined ? Number.POSITIVE_INFINITY : baseMs + next.ms
  }

  turnUpTo(atMs: number): number {
    const { index, baseMs } = this.#placeOf(atMs)
    return index < 0 ? Number.NEGATIVE_INFINITY : baseMs + (this.#samples[index]?.ms ?? 0)
  }

  waveformAt(atMs: number): SourceWaveform {
    const { index, baseMs } = this.#placeOf(atMs)
    const [from, to] = [this.#samples[Math.max(index, 0)], this.#samples[index + 1]]
    const untilMs = to === undefined ? Number.POSITIVE_INFINITY : baseMs + to.ms
    if (from === undefined || to === undefined || index < 0)
      return { volts: from?.volts ?? 0, voltsPerMs: 0, sine: undefined, untilMs }
    const voltsPerMs = (to.volts - from.volts) / (to.ms - from.ms)
    return { volts: from.volts + voltsPerMs * (atMs - baseMs - from.ms), voltsPerMs, sine: undefined, untilMs }
  }

  /** The last sample up to a moment, -1 before the first, and the moment at which its repetition began. */
  #placeOf(atMs: number): { readonly index: number; readonly baseMs: number } {
    let cycle = this.#repeated ? Math.floor((atMs - this.#startMs) / this.#lengthMs) : 0
    if (this.#repeated && this.#startMs + (cycle + 1) * this.#lengthMs <= atMs) cycle++
    const baseMs = this.#startMs + cycle * this.#lengthMs
    let [low, high] = [-1, this.#samples.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      // The same sum as in `turnAfter`: a moment from there is at its sample.
      if (baseMs + (this.#samples[middle]?.ms ?? 0) <= atMs) low = middle
      else high = middle - 1
    }
    // Rounding may put a moment just before its own repetition.
    return { index: this.#repeated ? Math.min(Math.max(low, 0), this.#samples.length - 2) : low, baseMs }
  }
}

function shortestOf(samples: readonly Sample[]): number {
  return Math.min(
    ...samples.slice(1).flatMap(({ ms }, index) => (ms > (samples[index]?.ms ?? 0) ? [ms - (samples[index]?.ms ?? 0)] : [])),
  )
}
