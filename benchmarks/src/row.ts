import type { Clock } from '@slotwire/core'
import type { LoadTool } from './load.ts'

/** How much is measured. Rounds alternate between both sides (A B A B …); the median of their figures counts. */
export const FULL = {
  /** Loads of each side, and their duration. */
  loads: 9,
  loadSeconds: 4,
  /** Rounds that start processes. */
  starts: 5,
  /** Writes or alerts of a round. */
  samples: 100,
  /** Time without requests before the cost of many twins or connections is measured, and duration of the measurement. */
  restMs: 10_000,
}
/** A short run to check that everything works; its figures mean nothing. */
export const QUICK: typeof FULL = { loads: 2, loadSeconds: 1, starts: 1, samples: 20, restMs: 2000 }

/** Resources for a measurement. */
export type Instruments = Readonly<{ effort: typeof FULL; load: LoadTool; clock: Clock }>

/** `×`: ratio to the comparison; `exchanges`: multiple of the duration of one exchange. */
export type Unit = '×' | '%' | 'ms' | 'KB' | 'MB' | 'exchanges'

/** A target for one value of a row: the gate must hold; the goal is still wanted. */
export interface Target {
  /** Name of the value. */
  readonly of: string
  readonly at: 'least' | 'most'
  readonly gate: number
  readonly goal?: number
  readonly unit: Unit
  /** The comparison, where it is not that of the row. */
  readonly against?: string
}

/** Result for one target: the values of both sides with their unit, and what to compare with the target, for each round. */
export interface Measurement {
  readonly measured: string
  readonly comparison: string
  readonly figures: readonly number[]
}

/** One line of the targets. */
export interface Row {
  /** Name for `--only`. */
  readonly name: string
  readonly what: string
  readonly against: string
  readonly targets: readonly Target[]
  /** Resolves with a reading for each target, in the same order. Programs that it started may run on. */
  readonly measure: (instruments: Instruments) => Promise<readonly Measurement[]>
}
