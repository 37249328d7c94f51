import { type Leg, type Source, type SourceLaw, Steady, steps } from '../branch.ts'
import { edgeAfter, edgeUpTo, isHighAt, type Timing } from './timing.ts'

/** A source that alternates between two legs. */
export class Alternation implements Source, Timing {
  readonly startMs: number
  readonly periodMs: number
  readonly highMs: number
  readonly high: Leg
  readonly low: Leg
  readonly extremes: readonly Leg[]
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs = Number.NEGATIVE_INFINITY

  constructor(timing: Timing, high: Leg, low: Leg) {
    this.startMs = timing.startMs
    this.periodMs = timing.periodMs
    this.highMs = timing.highMs
    this.high = high
    this.low = low
    this.extremes = [low, high]
  }

  legAt(atMs: number): Leg {
    return isHighAt(this, atMs) ? this.high : this.low
  }

  turnAfter(atMs: number): number {
    return edgeAfter(this, atMs)
  }

  turnUpTo(atMs: number): number {
    return edgeUpTo(this, atMs)
  }

  lawAt(atMs: number): SourceLaw {
    return steps(this.legAt(atMs), edgeAfter(this, atMs))
  }
}

/** Alternates between two legs; constant if `highMs` leaves no time for one of them. */
export function alternate(timing: Timing, high: Leg, low: Leg): Source {
  if (timing.highMs <= 0) return new Steady(low)
  return timing.highMs >= timing.periodMs ? new Steady(high) : new Alternation(timing, high, low)
}
