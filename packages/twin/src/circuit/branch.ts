import type { Reactive } from './analysis/reactive.ts'
import type { SineTerm } from './analysis/waveform.ts'

/** A Thevenin source: a voltage behind a resistance greater than 0. An infinite resistance is no connection. */
export interface Thevenin {
  readonly volts: number
  readonly ohms: number
}

/** The voltage of a source from a moment on: `volts` + `voltsPerMs` × t + its sine, t in ms since that moment. */
export interface SourceWaveform {
  readonly volts: number
  readonly voltsPerMs: number
  readonly sine: SineTerm | undefined
  /** The waveform holds until this moment, behind the same resistance. */
  readonly untilMs: number
}

/** A branch of a node whose values are a function of time alone. */
export interface Source {
  /** Bounds of every equivalent that it ever has. They contain all its resistances. */
  readonly extremes: readonly Thevenin[]
  /** Period after which it repeats; 0 if it is constant. For a source that never repeats: its shortest change. */
  readonly periodMs: number
  readonly repeats: boolean
  /** `periodMs` holds from this moment on. */
  readonly regularFromMs: number
  /** Whether it is constant between two turns. */
  readonly isStepped: boolean
  /** The equivalent at a moment; at a jump, the new one. */
  theveninAt(atMs: number): Thevenin
  /** The first moment after `atMs` at which it jumps, turns or changes its waveform; Infinity without such a moment. */
  turnAfter(atMs: number): number
  /** The last such moment up to `atMs`; -Infinity without such a moment. */
  turnUpTo(atMs: number): number
  waveformAt(atMs: number): SourceWaveform
}

/** A branch of a node: a source, or a reactive element (coil, capacitor, motor). */
export type Branch = Source | Reactive

export function isReactive(branch: Branch): branch is Reactive {
  return 'restOhms' in branch
}

/** A constant source. */
export class Steady implements Source {
  readonly equivalent: Thevenin
  readonly extremes: readonly Thevenin[]
  readonly periodMs = 0
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs = Number.NEGATIVE_INFINITY

  constructor(equivalent: Thevenin) {
    this.equivalent = equivalent
    this.extremes = [equivalent]
  }

  theveninAt(): Thevenin {
    return this.equivalent
  }

  turnAfter(): number {
    return Number.POSITIVE_INFINITY
  }

  turnUpTo(): number {
    return Number.NEGATIVE_INFINITY
  }

  waveformAt(): SourceWaveform {
    return steps(this.equivalent, Number.POSITIVE_INFINITY)
  }
}

/** The waveform of a source that is constant until `untilMs`. */
export function steps(equivalent: Thevenin, untilMs: number): SourceWaveform {
  return { volts: equivalent.volts, voltsPerMs: 0, sine: undefined, untilMs }
}

/** Edges of two sources closer than this count as one: 1 ns, far below any period, far above rounding. */
export const SAME_EDGE_MS = 1e-6
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
