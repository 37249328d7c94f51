import type { SineTerm } from './law.ts'
import type { Reactive } from './memory/reactive.ts'

/** A Thevenin source: a voltage behind a resistance greater than 0. An infinite resistance is no connection. */
export interface Leg {
  readonly volts: number
  readonly ohms: number
}

/** The voltage of a source from a moment on: `volts` + `voltsPerMs` × t + its sine, t in ms since that moment. */
export interface SourceLaw {
  readonly volts: number
  readonly voltsPerMs: number
  readonly sine: SineTerm | undefined
  /** The law holds until this moment, behind the same resistance. */
  readonly untilMs: number
}

/** A branch of a node whose values are a function of time alone. */
export interface Source {
  /** Bounds of every leg that it ever has. They contain all its resistances. */
  readonly extremes: readonly Leg[]
  /** Period after which it repeats; 0 if it is constant. For a source that never repeats: its shortest change. */
  readonly periodMs: number
  readonly repeats: boolean
  /** `periodMs` holds from this moment on. */
  readonly regularFromMs: number
  /** Whether it is constant between two turns. */
  readonly isStepped: boolean
  /** The leg at a moment; at a jump, the new one. */
  legAt(atMs: number): Leg
  /** The first moment after `atMs` at which it jumps, turns or changes its law; Infinity without such a moment. */
  turnAfter(atMs: number): number
  /** The last such moment up to `atMs`; -Infinity without such a moment. */
  turnUpTo(atMs: number): number
  lawAt(atMs: number): SourceLaw
}

/** A branch of a node: a source, or an element with memory (coil, motor). */
export type Branch = Source | Reactive

export function isReactive(branch: Branch): branch is Reactive {
  return 'restOhms' in branch
}

/** A constant source. */
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

/** The law of a source that is constant until `untilMs`. */
export function steps(leg: Leg, untilMs: number): SourceLaw {
  return { volts: leg.volts, voltsPerMs: 0, sine: undefined, untilMs }
}

/** Limit for periods of one source within a common period. */
const MAX_IN_COMMON = 64
/** Tolerance for rounding errors in a ratio of two periods. */
const ROUNDING = 1e-9

/**
 * The common period of moving sources. 0 if there are no sources. Infinite if one never repeats, if it has more than `most` periods of one of
 * them, or more than 64 of the slowest.
 */
export function commonPeriod(sources: readonly Source[], most = MAX_IN_COMMON): number {
  if (sources.length === 0) return 0
  if (sources.some((source) => !source.repeats)) return Number.POSITIVE_INFINITY
  const longestMs = Math.max(...sources.map((source) => source.periodMs))
  const mostMs = (most + ROUNDING) * Math.min(...sources.map((source) => source.periodMs))
  for (let times = 1; times <= MAX_IN_COMMON && times * longestMs <= mostMs; times++) {
    if (sources.every(({ periodMs }) => isWhole((times * longestMs) / periodMs))) return times * longestMs
  }
  return Number.POSITIVE_INFINITY
}

function isWhole(number: number): boolean {
  return Math.abs(number - Math.round(number)) < ROUNDING
}
