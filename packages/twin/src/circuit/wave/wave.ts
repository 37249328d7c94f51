import type { Source, SourceWaveform, Thevenin } from '../branch.ts'
import { edgeAfter, edgeUpTo, highPartsBegun, isHighAt, type Timing } from './timing.ts'

const TURN = 2 * Math.PI
const QUARTER = 0.25

/** A period from `startMs` on, between two voltages. */
export interface WaveShape {
  readonly startMs: number
  readonly periodMs: number
  readonly lowVolts: number
  readonly highVolts: number
  readonly ohms: number
}

/** A wave that rises once and falls once per period. */
abstract class Wave implements Source {
  readonly shape: WaveShape
  readonly periodMs: number
  readonly extremes: readonly Thevenin[]
  readonly repeats = true
  readonly isStepped = false
  readonly regularFromMs = Number.NEGATIVE_INFINITY
  /** High while it rises. */
  protected readonly rising: Timing

  constructor(shape: WaveShape, rising: Timing) {
    const { periodMs, lowVolts, highVolts, ohms } = shape
    this.shape = shape
    this.periodMs = periodMs
    this.rising = rising
    this.extremes = [
      { volts: lowVolts, ohms },
      { volts: highVolts, ohms },
    ]
  }

  theveninAt(atMs: number): Thevenin {
    return { volts: this.voltsAt(atMs), ohms: this.shape.ohms }
  }

  turnAfter(atMs: number): number {
    return edgeAfter(this.rising, atMs)
  }

  turnUpTo(atMs: number): number {
    return edgeUpTo(this.rising, atMs)
  }

  abstract voltsAt(atMs: number): number

  abstract waveformAt(atMs: number): SourceWaveform
}

/** A sine around the middle of its voltages; its period begins in the middle, rising. */
export class Sine extends Wave {
  readonly #offsetVolts: number
  readonly #amplitudeVolts: number
  readonly #radiansPerMs: number

  constructor(shape: WaveShape) {
    const { startMs, periodMs, lowVolts, highVolts } = shape
    super(shape, { startMs: startMs - QUARTER * periodMs, periodMs, highMs: periodMs / 2 })
    this.#offsetVolts = (lowVolts + highVolts) / 2
    this.#amplitudeVolts = (highVolts - lowVolts) / 2
    this.#radiansPerMs = TURN / periodMs
  }

  voltsAt(atMs: number): number {
    return this.#offsetVolts + this.#amplitudeVolts * Math.sin(this.#phase(atMs))
  }

  waveformAt(atMs: number): SourceWaveform {
    const sine = { amplitude: this.#amplitudeVolts, radiansPerMs: this.#radiansPerMs, phase: this.#phase(atMs) }
    return { volts: this.#offsetVolts, voltsPerMs: 0, sine, untilMs: Number.POSITIVE_INFINITY }
  }

  #phase(atMs: number): number {
    const { startMs, periodMs } = this.shape
    const cycle = Math.floor((atMs - startMs) / periodMs)
    return ((atMs - startMs - cycle * periodMs) / periodMs) * TURN
  }
}

/** Rises linearly for `riseMs` of each period and falls linearly for the rest; 0 and the whole period make a sawtooth. */
export class Triangle extends Wave {
  readonly #riseMs: number

  constructor(shape: WaveShape, riseMs: number) {
    super(shape, { startMs: shape.startMs, periodMs: shape.periodMs, highMs: riseMs })
    this.#riseMs = riseMs
  }

  override turnAfter(atMs: number): number {
    return this.#isSaw() ? this.#cycleStart(atMs, 1) : super.turnAfter(atMs)
  }

  override turnUpTo(atMs: number): number {
    return this.#isSaw() ? this.#cycleStart(atMs, 0) : super.turnUpTo(atMs)
  }

  voltsAt(atMs: number): number {
    const { lowVolts, highVolts, periodMs } = this.shape
    const swing = highVolts - lowVolts
    const sinceTurnMs = Math.max(0, atMs - this.turnUpTo(atMs))
    return this.#rises(atMs)
      ? lowVolts + (swing * sinceTurnMs) / this.#riseMs
      : highVolts - (swing * sinceTurnMs) / (periodMs - this.#riseMs)
  }

  waveformAt(atMs: number): SourceWaveform {
    const { lowVolts, highVolts, periodMs } = this.shape
    const swing = highVolts - lowVolts
    const voltsPerMs = this.#rises(atMs) ? swing / this.#riseMs : -swing / (periodMs - this.#riseMs)
    return { volts: this.voltsAt(atMs), voltsPerMs, sine: undefined, untilMs: this.turnAfter(atMs) }
  }

  #rises(atMs: number): boolean {
    return this.#isSaw() ? this.#riseMs > 0 : isHighAt(this.rising, atMs)
  }

  #isSaw(): boolean {
    return this.#riseMs <= 0 || this.#riseMs >= this.periodMs
  }

  #cycleStart(atMs: number, later: number): number {
    return this.shape.startMs + (highPartsBegun(this.rising, atMs) + later) * this.periodMs
  }
}
