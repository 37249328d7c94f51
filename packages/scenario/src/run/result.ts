import type { PinWaveform } from '../report/chart.ts'
import type { Scenario, ScenarioStep } from '../scenario.ts'

/** A failure of a step. */
export interface Failure extends Pick<ScenarioStep, 'line' | 'column' | 'text'> {
  /** Index of the step. */
  readonly step: number
  readonly file: string
  /** Twin time since the start, in ms. */
  readonly atMs: number
  readonly expected: string
  readonly seen: string
  /** Recent waveforms of the pins concerned, each a chart in lines of text. */
  readonly charts: readonly string[]
  /** The voltages in these charts, in finer intervals. */
  readonly waveforms: readonly PinWaveform[]
}

/** Result of a step. Times are twin time since the start, in ms. */
export interface StepOutcome extends Pick<ScenarioStep, 'kind' | 'line' | 'column' | 'text'> {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly beganMs: number
  readonly endedMs: number
}

/** Result of a scenario. */
export interface ScenarioResult {
  /** The seed is undefined at a device without a bench. */
  readonly scenario: Pick<Scenario, 'file' | 'name' | 'description'> & { readonly seed: number | undefined }
  /** Whether all steps ran and passed. */
  readonly ok: boolean
  /** Duration in twin time, in ms. */
  readonly durationMs: number
  /** One per step. */
  readonly steps: readonly StepOutcome[]
  /** In the order of the steps; only the first ones if there are many. */
  readonly failures: readonly Failure[]
  readonly failureCount: number
  /** Why it ended early; undefined if it did not. */
  readonly stopped: string | undefined
}

/** Progress of a scenario: step `step` of `steps` begins at `atMs` of twin time. */
export interface ScenarioProgress {
  readonly step: number
  readonly steps: number
  readonly atMs: number
  readonly text: string
}
