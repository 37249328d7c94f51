import type { ModuleCatalog } from '../catalog.ts'
import { expectStep, waitStep } from '../expect/expect-step.ts'
import { actionSteps } from './action-step.ts'
import { repeat } from './repeat-step.ts'
import { request } from './request-step.ts'
import { killService, startService } from './service-steps.ts'
import type { StepKind } from './step-kind.ts'

const made = new WeakMap<ModuleCatalog, readonly StepKind[]>()

/** All kinds of steps, in the order of the page about scenarios: the actions of the bench, then those that only a scenario has. */
export function stepKinds(catalog: ModuleCatalog): readonly StepKind[] {
  const kinds = made.get(catalog) ?? [...actionSteps(catalog), killService, startService, request, repeat, waitStep, expectStep]
  made.set(catalog, kinds)
  return kinds
}
