import type { SineTerm } from './law.ts'
import type { Reactive } from './memory/reactive.ts'

/** A Thevenin source: a voltage behind a resistance greater than 0; an infinite one is no connection. */
export interface Leg {
  readonly volts: number
  readonly ohms: number
}

/** How the voltage of a source goes on from a moment: `volts` + `voltsPerMs` × t + its sine, t in ms since that moment. */
export interface SourceLaw {
  readonly volts: number
  readonly voltsPerMs: number
  readonly sine: SineTerm | undefined
  /** So long it goes on like this, behind the same resistance. */
  readonly untilMs: number
}

/** What hangs on a node and knows by itself what it does at any moment. */
export interface Source {
  /** Every leg that it ever shows lies between these, whose resistances are the only ones. */
  readonly extremes: readonly Leg[]
  /** After this time it does the same again; 0: it stays as it is. What never repeats has the length of its shortest change here. */
  readonly periodMs: number
  readonly repeats: boolean
  /** From this moment on it is as `periodMs` says. */
  readonly regularFromMs: number
  /** Whether it stays as it is between two turns. */
  readonly isStepped: boolean
  /** The leg at a moment; where it jumps, the new one. */
  legAt(atMs: number): Leg
  /** The first moment after `atMs` at which it jumps, turns or changes its law; infinite where there is none. */
  turnAfter(atMs: number): number
  /** The last such moment up to `atMs`; negative infinity where there is none. */
  turnUpTo(atMs: number): number
  lawAt(atMs: number): SourceLaw
}

/** What hangs on a node: a source, or something with a memory of what the node did to it. */
export type Branch = Source | Reactive

export function isReactive(branch: Branch): branch is Reactive {
  return 'restOhms' in branch
}

/** The same leg for ever. */
export class Steady implements Source {
  readonly leg: Leg
  readonly extremes: readonly Leg[]
  readonly periodMs = 0
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs = Number.NEGATIVE_INFINITY

  constructor(leg: Leg) {
    this.leg = leg
    this.extremes = [leg]
  }

  legAt(): Leg {
    return this.leg
  }

  turnAfter(): number {
    return Number.POSITIVE_INFINITY
  }

  turnUpTo(): number {
    return Number.NEGATIVE_INFINITY
  }

  lawAt(): SourceLaw {
    return steps(this.leg, Number.POSITIVE_INFINITY)
  }
}

/** The law of a source that shows one leg until it shows another. */
export function steps(leg: Leg, untilMs: number): SourceLaw {
  return { volts: leg.volts, voltsPerMs: 0, sine: undefined, untilMs }
}

/** Periods of one source that a common period may hold. */
const MOST_IN_COMMON = 64
/** So near to a whole number a ratio of two periods is one, but for rounding. */
const ROUNDING = 1e-9

/**
 * The period that sources which move have in common, the longest of theirs: 0 where there are none, infinite where another one does not go
 * into it a whole number of times, or too often, or one never repeats.
 */
export function commonPeriod(sources: readonly Source[]): number {
  const longestMs = Math.max(0, ...sources.map((source) => source.periodMs))
  const isCommon = sources.every(({ repeats, periodMs }) => {
    const times = longestMs / periodMs
    return repeats && times <= MOST_IN_COMMON && Math.abs(times - Math.round(times)) < ROUNDING
  })
  return isCommon ? longestMs : Number.POSITIVE_INFINITY
}
