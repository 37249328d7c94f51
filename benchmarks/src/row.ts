import type { Clock } from '@slotwire/core'
import type { Effort } from './effort.ts'
import type { LoadTool } from './load.ts'

/** What one figure of a row must reach. */
export interface Goal {
  /** What the figure is. */
  readonly of: string
  readonly at: 'least' | 'most'
  readonly bound: number
  readonly unit: Unit
}

/** `×`: a ratio to the comparison; `exchanges`: times the duration of one exchange. */
export type Unit = '×' | '%' | 'ms' | 'KB' | 'MB' | 'exchanges'

/** What was found for one goal. */
export interface Reading {
  /** Our side, with its unit, for people. */
  readonly measured: string
  /** The other side, likewise. */
  readonly comparison: string
  /** What is held against the goal's bound, in its unit. */
  readonly figure: number
}

/** What a row measures with. */
export interface Instruments {
  readonly effort: Effort
  readonly load: LoadTool
  readonly clock: Clock
}

/** One line of the targets: what is measured, against what, and what it must reach. */
export interface Row {
  /** For `--only`. */
  readonly name: string
  readonly what: string
  readonly against: string
  readonly goals: readonly Goal[]
  /** Resolves with a reading for each goal, in their order. */
  readonly measure: (instruments: Instruments) => Promise<readonly Reading[]>
}

/** Whether a reading is what its goal wants. */
export function isReached(goal: Goal, { figure }: Reading): boolean {
  return goal.at === 'least' ? figure >= goal.bound : figure <= goal.bound
}
