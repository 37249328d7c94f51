import { Source, type SourceWaveform, Steady, type Thevenin, Wave } from '../branch.ts'

/** A periodic signal: high for `highMs` from `startMs` + k × `periodMs` on, low for the rest; 0 < `highMs` < `periodMs`. */
interface Timing {
  readonly startMs: number
  readonly periodMs: number
  readonly highMs: number
}

// Only these two functions compute edges, so a moment from `edgeAfter` is at or after its edge in spite of rounding.
const riseOf = (of: Timing, cycle: number): number => of.startMs + cycle * of.periodMs
const fallOf = (of: Timing, cycle: number): number => riseOf(of, cycle) + of.highMs

/** Number of the period that contains `atMs`; period 0 begins at `startMs`. */
function highPartsBegun(of: Timing, atMs: number): number {
  const cycle = Math.floor((atMs - of.startMs) / of.periodMs)
  if (riseOf(of, cycle) > atMs) return cycle - 1
  return riseOf(of, cycle + 1) <= atMs ? cycle + 1 : cycle
}

/** Whether `atMs` is in a high part; at an edge the new part counts. */
function isHighAt(of: Timing, atMs: number): boolean {
  return atMs < fallOf(of, highPartsBegun(of, atMs))
}

/** The first edge after `atMs`. */
function edgeAfter(of: Timing, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return atMs < fall ? fall : riseOf(of, cycle + 1)
}

/** The last edge at or before `atMs`. */
function edgeUpTo(of: Timing, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return fall <= atMs ? fall : riseOf(of, cycle)
}

/** A source that alternates between two equivalents. */
export class Alternation extends Source implements Timing {
  readonly startMs: number
  override readonly periodMs: number
  readonly highMs: number
  readonly extremes: readonly Thevenin[]

  constructor(
    { startMs, periodMs, highMs }: Timing,
    readonly high: Thevenin,
    readonly low: Thevenin,
  ) {
    super()
    this.startMs = startMs
    this.periodMs = periodMs
    this.highMs = highMs
    this.extremes = [low, high]
  }

  override get mean(): Thevenin {
    const { high, low } = this
    const share = this.highMs / this.periodMs
    return { volts: low.volts + share * (high.volts - low.volts), ohms: low.ohms + share * (high.ohms - low.ohms) }
  }

  theveninAt(atMs: number): Thevenin {
    return isHighAt(this, atMs) ? this.high : this.low
  }

  override turnAfter(atMs: number): number {
    return edgeAfter(this, atMs)
  }

  override turnUpTo(atMs: number): number {
    return edgeUpTo(this, atMs)
  }
}

/** Alternates between two equivalents; constant if `highMs` leaves no time for one of them. */
export function alternate(timing: Timing, high: Thevenin, low: Thevenin): Source {
  if (timing.highMs <= 0) return new Steady(low)
  return timing.highMs >= timing.periodMs ? new Steady(high) : new Alternation(timing, high, low)
}

const TURN = 2 * Math.PI
const QUARTER = 0.25

/** A period from `startMs` on, between two voltages. */
interface WaveShape {
  readonly startMs: number
  readonly periodMs: number
  readonly lowVolts: number
  readonly highVolts: number
  readonly ohms: number
}

/** A wave that rises once and falls once per period. */
abstract class PeriodicWave extends Wave {
  override readonly periodMs: number

  constructor(
    readonly shape: WaveShape,
    /** High while it rises. */
    protected readonly rising: Timing,
  ) {
    super(shape)
    this.periodMs = shape.periodMs
  }

  override turnAfter(atMs: number): number {
    return edgeAfter(this.rising, atMs)
  }

  override turnUpTo(atMs: number): number {
    return edgeUpTo(this.rising, atMs)
  }
}

/** A sine around the middle of its voltages; its period begins in the middle, rising. */
export class Sine extends PeriodicWave {
  constructor(shape: WaveShape) {
    const { startMs, periodMs } = shape
    super(shape, { startMs: startMs - QUARTER * periodMs, periodMs, highMs: periodMs / 2 })
  }

  waveformAt(atMs: number): SourceWaveform {
    const { startMs, periodMs, lowVolts, highVolts } = this.shape
    const cycle = Math.floor((atMs - startMs) / periodMs)
    const phase = ((atMs - startMs - cycle * periodMs) / periodMs) * TURN
    const sine = { amplitude: (highVolts - lowVolts) / 2, radiansPerMs: TURN / periodMs, phase }
    return { volts: (lowVolts + highVolts) / 2, voltsPerMs: 0, sine, untilMs: Number.POSITIVE_INFINITY }
  }
}

/** Rises linearly for `riseMs` of each period and falls linearly for the rest; 0 and the whole period make a sawtooth. */
export class Triangle extends PeriodicWave {
  constructor(
    shape: WaveShape,
    private readonly riseMs: number,
  ) {
    const { startMs, periodMs } = shape
    super(shape, { startMs, periodMs, highMs: riseMs < periodMs ? riseMs : 0 })
  }

  waveformAt(atMs: number): SourceWaveform {
    const { lowVolts, highVolts, periodMs } = this.shape
    const swing = highVolts - lowVolts
    const rises = this.riseMs >= periodMs || isHighAt(this.rising, atMs)
    const voltsPerMs = rises ? swing / this.riseMs : -swing / (periodMs - this.riseMs)
    const volts = (rises ? lowVolts : highVolts) + voltsPerMs * Math.max(0, atMs - this.turnUpTo(atMs))
    return { volts, voltsPerMs, untilMs: this.turnAfter(atMs) }
  }
}

const WORD = 2 ** 32

/** Random voltages at equal distances in time, joined by straight lines. They depend on the seed and the moment only. */
export class Noise extends Wave {
  /** Distance between two random voltages. */
  override readonly periodMs: number
  override readonly repeats = false
  /** The cell asked for last, with its voltages: a moment is asked for several times. */
  #last = { cell: Number.NaN, from: 0, to: 0 }
  readonly #of: { readonly lowVolts: number; readonly highVolts: number; readonly seed: number }

  constructor(of: { periodMs: number; lowVolts: number; highVolts: number; ohms: number; seed: number }) {
    super(of)
    this.#of = of
    this.periodMs = of.periodMs
  }

  override turnAfter(atMs: number): number {
    return (this.#cell(atMs) + 1) * this.periodMs
  }

  override turnUpTo(atMs: number): number {
    return this.#cell(atMs) * this.periodMs
  }

  waveformAt(atMs: number): SourceWaveform {
    const cell = this.#cell(atMs)
    if (cell !== this.#last.cell) this.#last = { cell, from: this.#voltsOf(cell), to: this.#voltsOf(cell + 1) }
    const { from, to } = this.#last
    const voltsPerMs = (to - from) / this.periodMs
    const volts = from + voltsPerMs * (atMs - cell * this.periodMs)
    return { volts, voltsPerMs, untilMs: (cell + 1) * this.periodMs }
  }

  #cell(atMs: number): number {
    return highPartsBegun({ startMs: 0, periodMs: this.periodMs, highMs: 0 }, atMs)
  }

  #voltsOf(cell: number): number {
    const { lowVolts, highVolts, seed } = this.#of
    return lowVolts + (highVolts - lowVolts) * uniform(seed, cell)
  }
}

/** A pseudo-random number in [0, 1) that depends on seed and index only. */
function uniform(seed: number, index: number): number {
  const high = mixed(Math.floor(index / WORD) ^ mixed(seed))
  return mixed((index >>> 0) ^ high) / WORD
}

/** Spreads every bit over the whole word (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let bits = (word + 0x9e3779b9) | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
