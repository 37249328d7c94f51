// Exports for tests of applications: `import { parseScenario, runScenario } from 'slotwire/scenario'`; docs/guide/scenarios.md.
import { SystemClock } from '@slotwire/core'
import { catalog, type Rig } from '@slotwire/device/twin'
import { parseScenario as parse, parseRig as parseRigText, type Scenario } from '@slotwire/scenario'
import type { WaveformTarget } from '@slotwire/twin'
import { fileBeside } from './scenario/scenario-files.ts'
import { ProgressBar } from './scenario/scenario-progress.ts'
import { runOne, type TimedResult } from './scenario/scenario-run.ts'

export type {
  Failure,
  PinWaveform,
  Scenario,
  ScenarioPowerMode,
  ScenarioProblem,
  ScenarioResult,
  StepOutcome,
} from '@slotwire/scenario'
export { drawFailure, formatJunit, formatReport, ScenarioError } from '@slotwire/scenario'
export type { TimedResult, WaveformTarget }

/** Parses a scenario; `file` is its name in messages, and its folder has the files that it names. Throws `ScenarioError` with all mistakes. */
export function parseScenario(text: string, { file = 'scenario' }: { readonly file?: string } = {}): Scenario {
  return parse(text, { file, catalog, readFile: fileBeside(file) })
}

/** Parses a rig for `createTwin({ rig })`; `file` as above. Throws `ScenarioError` with all mistakes. */
export function parseRig(text: string, { file = 'rig' }: { readonly file?: string } = {}): Rig {
  return parseRigText(text, { file, catalog, readFile: fileBeside(file) })
}

export interface ScenarioOptions {
  /** Default: as fast as possible. */
  readonly realTime?: boolean
  readonly signal?: AbortSignal
  /** Gets the voltages and levels of all pins that the scenario names, as the text of a VCD or CSV file. */
  readonly trace?: WaveformTarget
}

/**
 * Runs a scenario on a new virtual device, as fast as possible or in real time. A failed step does not stop it. If `signal` stops it, the
 * result contains the reason.
 */
export function runScenario(scenario: Scenario, { realTime = false, signal, trace }: ScenarioOptions = {}): Promise<TimedResult> {
  const clock = new SystemClock()
  return runOne(scenario, {
    realTime,
    signal: signal ?? new AbortController().signal,
    clock,
    progress: new ProgressBar(undefined, clock),
    onTransfer: () => undefined,
    trace,
    number: 1,
    count: 1,
  })
}
