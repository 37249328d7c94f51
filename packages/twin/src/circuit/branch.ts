import type { Reactive } from './analysis/reactive.ts'
import type { SineTerm } from './analysis/waveform.ts'

/** A Thevenin source: a voltage behind a resistance greater than 0. An infinite resistance is no connection. */
export interface Thevenin {
  readonly volts: number
  readonly ohms: number
}

/** The equivalent that each source shows. */
export type TheveninOf = (source: Source) => Thevenin

/** A source, and an equivalent that it shows. */
export interface Shown {
  readonly source: Source
  readonly equivalent: Thevenin
}

/** The voltage of a source from a moment on: `volts` + `voltsPerMs` × t + its sine, t in ms since that moment. */
export interface SourceWaveform {
  readonly volts: number
  readonly voltsPerMs: number
  readonly sine?: SineTerm
  /** The waveform holds until this moment, behind the same resistance. */
  readonly untilMs: number
}

/** A branch of a node whose values are a function of time alone. By default it is constant between two turns, and has none. */
export abstract class Source {
  /** Bounds of every equivalent that it ever has. They contain all its resistances. */
  abstract readonly extremes: readonly Thevenin[]
  /** Period after which it repeats; 0 if it is constant. For a source that never repeats: its shortest change. */
  readonly periodMs: number = 0
  readonly repeats: boolean = true
  /** `periodMs` holds from this moment on. */
  readonly regularFromMs: number = Number.NEGATIVE_INFINITY
  /** Whether it is constant between two turns. */
  readonly isStepped: boolean = true

  /** The equivalent at a moment; at a jump, the new one. */
  abstract theveninAt(atMs: number): Thevenin

  /** Its mean over a period; by default the middle of its extremes. */
  get mean(): Thevenin {
    const { extremes } = this
    const meanOf = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
    return { volts: meanOf(extremes.map(({ volts }) => volts)), ohms: meanOf(extremes.map(({ ohms }) => ohms)) }
  }

  /** The first moment after `atMs` at which it jumps, turns or changes its waveform; Infinity without such a moment. */
  turnAfter(_atMs: number): number {
    return Number.POSITIVE_INFINITY
  }

  /** The last such moment up to `atMs`; -Infinity without such a moment. */
  turnUpTo(_atMs: number): number {
    return Number.NEGATIVE_INFINITY
  }

  waveformAt(atMs: number): SourceWaveform {
    return { volts: this.theveninAt(atMs).volts, voltsPerMs: 0, untilMs: this.turnAfter(atMs) }
  }
}

/** A voltage that rises and falls between two turns, behind one resistance. It says its waveform and its turns. */
export abstract class Wave extends Source {
  override readonly isStepped = false
  readonly extremes: readonly Thevenin[]
  readonly #ohms: number

  constructor({ lowVolts, highVolts, ohms }: { lowVolts: number; highVolts: number; ohms: number }) {
    super()
    this.#ohms = ohms
    this.extremes = [lowVolts, highVolts].map((volts) => ({ volts, ohms }))
  }

  abstract override waveformAt(atMs: number): SourceWaveform

  theveninAt(atMs: number): Thevenin {
    const { volts, sine } = this.waveformAt(atMs)
    return { volts: sine === undefined ? volts : volts + sine.amplitude * Math.sin(sine.phase), ohms: this.#ohms }
  }
}

/** A branch of a node: a source, or a reactive element (coil, capacitor, motor). */
export type Branch = Source | Reactive

export function isReactive(branch: Branch): branch is Reactive {
  return 'parts' in branch
}

/** A constant source. */
export class Steady extends Source {
  readonly extremes: readonly Thevenin[]

  constructor(readonly equivalent: Thevenin) {
    super()
    this.extremes = [equivalent]
  }

  theveninAt(): Thevenin {
    return this.equivalent
  }
}

/** Edges of two sources closer than this count as one: 1 ns, far below any period, far above rounding. */
export const SAME_EDGE_MS = 1e-6
/** Limit for periods of one source within a common period. */
const MAX_IN_COMMON = 64
/** Tolerance for rounding errors in a ratio of two periods. */
const ROUNDING = 1e-9

/**
 * The common period of moving sources; 0 without sources. Infinite if one never repeats, or if it has more than 64 periods of one of them.
 */
export function commonPeriod(sources: readonly Source[]): number {
  if (sources.length === 0) return 0
  if (sources.some((source) => !source.repeats)) return Number.POSITIVE_INFINITY
  const longestMs = Math.max(...sources.map((source) => source.periodMs))
  const mostMs = (MAX_IN_COMMON + ROUNDING) * Math.min(...sources.map((source) => source.periodMs))
  for (let times = 1; times <= MAX_IN_COMMON && times * longestMs <= mostMs; times++) {
    if (sources.every(({ periodMs }) => isWhole((times * longestMs) / periodMs))) return times * longestMs
  }
  return Number.POSITIVE_INFINITY
}

function isWhole(number: number): boolean {
  return Math.abs(number - Math.round(number)) < ROUNDING
}
