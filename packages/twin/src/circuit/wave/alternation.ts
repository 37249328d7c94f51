import { Source, Steady, type Thevenin } from '../branch.ts'
import { edgeAfter, edgeUpTo, isHighAt, type Timing } from './timing.ts'

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
