import { visible } from '@slotwire/core'
import type { Place } from '@slotwire/storage'
import type { Action } from './steps/step-kind.ts'

/** Power mode: strict refuses overprovisioning, weak allows it. */
export type ScenarioPowerMode = 'strict' | 'weak'

/** A parsed and validated step. */
export interface ScenarioStep extends Action {
  /** `connect`, `expect`, … */
  readonly kind: string
  /** Twin time since the start, in ms; undefined: as soon as the step before has ended. */
  readonly atMs: number | undefined
  /** Twin time since the end of the step before, in ms. */
  readonly afterMs: number | undefined
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The step as written, in one line. */
  readonly text: string
}

/** A parsed and validated scenario: its device and its steps. */
export interface Scenario {
  readonly file: string
  /** Default: name of the file without folder and extension. */
  readonly name: string
  readonly description: string | undefined
  readonly tags: readonly string[]
  /** Names of the values that it declares. */
  readonly values: readonly string[]
  /** The fields at its top, as written. */
  readonly header: readonly (Place & { readonly key: string })[]
  /** Seed of the device's random sequence. */
  readonly seed: number
  readonly bus: 'timed' | 'instant'
  readonly powerMode: ScenarioPowerMode
  /** `default`: see twin.md "Chassis"; `empty`: no modules, no wiring. */
  readonly device: 'default' | 'empty'
  /** Modules to plug before power-on, by slot; they replace modules of the device. */
  readonly modules: Readonly<Record<number, string>>
  /** How long it runs after the last step, in ms. */
  readonly untilMs: number
  readonly steps: readonly ScenarioStep[]
  /** Files that it names, as written: relative to its own folder. */
  readonly files: readonly string[]
}

/** A mistake in the text of a scenario, with its place and the remedy. */
export interface ScenarioProblem {
  /** As passed to `parseScenario`. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** What is wrong, and the remedy. */
  readonly message: string
}

/** A mistake in the format of editors: `sensor.yaml:4:7: …`. */
export function formatProblem({ file, line, column, message }: ScenarioProblem): string {
  return `${visible(file)}:${line}:${column}: ${visible(message)}`
}

/** An invalid scenario, with all mistakes (up to a limit) in the order of the text. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'

  constructor(readonly problems: readonly ScenarioProblem[]) {
    super(problems.map(formatProblem).join('\n'))
  }
}
