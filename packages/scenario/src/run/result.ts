import type { Scenario, ScenarioStep } from '../scenario.ts'

/** Why a step failed. */
export interface Failure {
  /** Index of the step. */
  readonly step: number
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The step as it is written, in one line. */
  readonly text: string
  /** Twin time since the beginning, in ms. */
  readonly atMs: number
  readonly expected: string
  readonly seen: string
  /** The waveform of the pins concerned just before, each a chart in lines of text. */
  readonly charts: readonly string[]
}

/** What became of a step. Times are twin time since the beginning, in ms. */
export interface StepOutcome extends Pick<ScenarioStep, 'kind' | 'line' | 'column' | 'text'> {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly beganMs: number
  readonly endedMs: number
}

/** What became of a scenario. */
export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'file' | 'name' | 'description' | 'seed'>
  /** Everything held, and nothing was left out. */
  readonly ok: boolean
  /** How long it lasted, in ms of twin time. */
  readonly durationMs: number
  /** One for each step. */
  readonly steps: readonly StepOutcome[]
  /** In the order of the steps; the first ones, where there are very many. */
  readonly failures: readonly Failure[]
  readonly failureCount: number
  /** Why it ended early; undefined: it did not. */
  readonly stopped: string | undefined
}

/** How far a scenario is: step `step` of `steps` begins, at `atMs` of twin time. */
export interface ScenarioProgress {
  readonly step: number
  readonly steps: number
  readonly atMs: number
  readonly text: string
}
