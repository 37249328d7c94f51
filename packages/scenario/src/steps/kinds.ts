import type { ModuleCatalog } from '../catalog.ts'
import { expectStep, waitStep } from '../expect/expect-step.ts'
import { optional } from '../read/field.ts'
import { duration } from '../read/field-types.ts'
import { actionSteps } from './action-step.ts'
import { repeat } from './repeat-step.ts'
import { request } from './request-step.ts'
import { defineStep, type StepKind } from './step-kind.ts'

const killService = defineStep({
  name: 'kill_service',
  summary: 'Kills the service like SIGKILL. With for, starts it again after that time, while the steps continue.',
  fields: { for: optional(duration, 'time until it starts again; default: until start_service') },
  needs: 'bench',
  run: async ({ for: away }, run) => {
    await run.settled(run.world.killService(), 'the service to end')
    if (away !== undefined) run.later(away, () => run.world.startService())
  },
})

const startService = defineStep({
  name: 'start_service',
  summary: 'Starts a killed service again.',
  fields: {},
  needs: 'bench',
  run: (_values, run) => run.settled(run.world.startService(), 'the service to start'),
})

const made = new WeakMap<ModuleCatalog, readonly StepKind[]>()

/** All kinds of steps, in the order of the page about scenarios: the actions of the bench, then those that only a scenario has. */
export function stepKinds(catalog: ModuleCatalog): readonly StepKind[] {
  const kinds = made.get(catalog) ?? [...actionSteps(catalog), killService, startService, request, repeat, waitStep, expectStep]
  made.set(catalog, kinds)
  return kinds
}
