import type { Action } from './steps/step-kind.ts'

/** Version of the device's power management; behaviour of overprovisioning. */
export type ScenarioPowerMode = 'strict' | 'weak'

/** A step, read and checked. */
export interface ScenarioStep extends Action {
  /** `connect`, `expect`, … */
  readonly kind: string
  /** Twin time after the beginning, in ms; undefined: as soon as the step before has ended. */
  readonly atMs: number | undefined
  /** Twin time after the end of the step before, in ms. */
  readonly afterMs: number | undefined
  /** From 1. */
  readonly line: number
  readonly column: number
  /** As it is written, in one line. */
  readonly text: string
}

/** A scenario, read and checked: what device it wants, and what happens to it. */
export interface Scenario {
  readonly file: string
  /** The file without folder and ending, unless it says otherwise. */
  readonly name: string
  readonly description: string | undefined
  /** Of the device's randomness. */
  readonly seed: number
  readonly bus: 'timed' | 'instant'
  readonly powerMode: ScenarioPowerMode
  /** `default`: as twin.md "Chassis" has it; `empty`: no modules, no wiring. */
  readonly device: 'default' | 'empty'
  /** Modules to plug before it is switched on, by slot, in place of those of the device. */
  readonly modules: Readonly<Record<number, string>>
  /** How long it goes on after the last step, in ms. */
  readonly untilMs: number
  readonly steps: readonly ScenarioStep[]
}
