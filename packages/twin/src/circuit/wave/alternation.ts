import { type Source, type SourceWaveform, Steady, steps, type Thevenin } from '../branch.ts'
import { edgeAfter, edgeUpTo, isHighAt, type Timing } from './timing.ts'

/** A source that alternates between two equivalents. */
export class Alternation implements Source, Timing {
  readonly startMs: number
  readonly periodMs: number
  readonly highMs: number
  readonly high: Thevenin
  readonly low: Thevenin
  readonly extremes: readonly Thevenin[]
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs = Number.NEGATIVE_INFINITY

  constructor(timing: Timing, high: Thevenin, low: Thevenin) {
    this.startMs = timing.startMs
    this.periodMs = timing.periodMs
    this.highMs = timing.highMs
    this.high = high
    this.low = low
    this.extremes = [low, high]
  }

  theveninAt(atMs: number): Thevenin {
    return isHighAt(this, atMs) ? this.high : this.low
  }

  turnAfter(atMs: number): number {
    return edgeAfter(this, atMs)
  }

  turnUpTo(atMs: number): number {
    return edgeUpTo(this, atMs)
  }

  waveformAt(atMs: number): SourceWaveform {
    return steps(this.theveninAt(atMs), edgeAfter(this, atMs))
  }
}

/** Alternates between two equivalents; constant if `highMs` leaves no time for one of them. */
export function alternate(timing: Timing, high: Thevenin, low: Thevenin): Source {
  if (timing.highMs <= 0) return new Steady(low)
  return timing.highMs >= timing.periodMs ? new Steady(high) : new Alternation(timing, high, low)
}
