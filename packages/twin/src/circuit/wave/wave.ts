import { type SourceWaveform, Wave } from '../branch.ts'
import { edgeAfter, edgeUpTo, isHighAt, type Timing } from './timing.ts'

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
