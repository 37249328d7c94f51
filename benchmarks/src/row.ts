import type { Clock } from '@slotwire/core'
import type { Effort } from './effort.ts'
import type { LoadTool } from './load.ts'

/** A target for one value of a row. */
export interface Goal {
  /** Name of the value. */
  readonly of: string
  readonly at: 'least' | 'most'
  readonly bound: number
  readonly unit: Unit
}

/** `×`: ratio to the comparison; `exchanges`: multiple of the duration of one exchange. */
export type Unit = '×' | '%' | 'ms' | 'KB' | 'MB' | 'exchanges'

/** Result for one goal. */
export interface Reading {
  /** Our value with its unit, for people. */
  readonly measured: string
  /** Value of the comparison with its unit, for people. */
  readonly comparison: string
  /** Value to compare with the goal's bound, in its unit. */
  readonly figure: number
}

/** Resources for a measurement. */
export interface Instruments {
  readonly effort: Effort
  readonly load: LoadTool
  readonly clock: Clock
}

/** One line of the targets: what is measured, the comparison, and the goals. */
export interface Row {
  /** Name for `--only`. */
  readonly name: string
  readonly what: string
  readonly against: string
  readonly goals: readonly Goal[]
  /** Resolves with a reading for each goal, in the same order. */
  readonly measure: (instruments: Instruments) => Promise<readonly Reading[]>
}

/** Whether a reading reaches its goal. */
export function isReached(goal: Goal, { figure }: Reading): boolean {
  return goal.at === 'least' ? figure >= goal.bound : figure <= goal.bound
}
