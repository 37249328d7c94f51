import { type SourceWaveform, type Thevenin, Wave } from '../branch.ts'

/** Repeated recordings with more samples count as waves without a period, whose searches look ahead over a number of samples. */
const MAX_REPEATED_SAMPLES = 200

/** A recorded voltage, in ms since its start; times never fall. */
export interface Sample {
  readonly ms: number
  readonly volts: number
}

/** Recorded voltages, joined by straight lines: once, or again and again. Two samples of one moment are a jump. */
export class Recording extends Wave {
  override readonly periodMs: number
  override readonly repeats: boolean
  override readonly regularFromMs: number
  readonly #lengthMs: number

  /** There are two samples or more, the first one at 0 ms. Before the start and after the end the voltage stays. */
  constructor(private readonly of: { samples: readonly Sample[]; startMs: number; repeated: boolean; ohms: number }) {
    const { samples, startMs, repeated, ohms } = of
    const volts = samples.map((sample) => sample.volts)
    super({ lowVolts: Math.min(...volts), highVolts: Math.max(...volts), ohms })
    this.#lengthMs = samples.at(-1)?.ms ?? 0
    this.repeats = !repeated || samples.length <= MAX_REPEATED_SAMPLES
    this.periodMs = !repeated ? 0 : this.repeats ? this.#lengthMs : shortestOf(samples)
    this.regularFromMs = repeated ? Number.NEGATIVE_INFINITY : startMs + this.#lengthMs
  }

  override get mean(): Thevenin {
    const areas = this.of.samples.slice(1).map(({ ms, volts }, index) => {
      const before = this.of.samples[index] ?? { ms, volts }
      return ((before.volts + volts) / 2) * (ms - before.ms)
    })
    return { ...super.mean, volts: areas.reduce((sum, area) => sum + area, 0) / this.#lengthMs }
  }

  override turnAfter(atMs: number): number {
    const { index, baseMs } = this.#placeOf(atMs)
    const next = this.of.samples[index + 1]
    return next === undefined ? Number.POSITIVE_INFINITY : baseMs + next.ms
  }

  override turnUpTo(atMs: number): number {
    const { index, baseMs } = this.#placeOf(atMs)
    return index < 0 ? Number.NEGATIVE_INFINITY : baseMs + (this.of.samples[index]?.ms ?? 0)
  }

  waveformAt(atMs: number): SourceWaveform {
    const { index, baseMs } = this.#placeOf(atMs)
    const [from, to] = [this.of.samples[Math.max(index, 0)], this.of.samples[index + 1]]
    const untilMs = to === undefined ? Number.POSITIVE_INFINITY : baseMs + to.ms
    if (from === undefined || to === undefined || index < 0) return { volts: from?.volts ?? 0, voltsPerMs: 0, untilMs }
    const voltsPerMs = (to.volts - from.volts) / (to.ms - from.ms)
    return { volts: from.volts + voltsPerMs * (atMs - baseMs - from.ms), voltsPerMs, untilMs }
  }

  /** The last sample up to a moment, -1 before the first, and the moment at which its repetition began. */
  #placeOf(atMs: number): { readonly index: number; readonly baseMs: number } {
    let cycle = this.of.repeated ? Math.floor((atMs - this.of.startMs) / this.#lengthMs) : 0
    if (this.of.repeated && this.of.startMs + (cycle + 1) * this.#lengthMs <= atMs) cycle++
    const baseMs = this.of.startMs + cycle * this.#lengthMs
    let [low, high] = [-1, this.of.samples.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      // The same sum as in `turnAfter`: a moment from there is at its sample.
      if (baseMs + (this.of.samples[middle]?.ms ?? 0) <= atMs) low = middle
      else high = middle - 1
    }
    // Rounding may put a moment just before its own repetition.
    return { index: this.of.repeated ? Math.min(Math.max(low, 0), this.of.samples.length - 2) : low, baseMs }
  }
}

function shortestOf(samples: readonly Sample[]): number {
  return Math.min(
    ...samples.slice(1).flatMap(({ ms }, index) => (ms > (samples[index]?.ms ?? 0) ? [ms - (samples[index]?.ms ?? 0)] : [])),
  )
}
