import { shown } from '@slotwire/core'
import type { Entry, MapTree } from '@slotwire/storage'
import type { ModuleCatalog } from '../catalog.ts'
import { waitFields } from '../expect/expectation.ts'
import { expectationKinds } from '../expect/kinds.ts'
import { didYouMean, optional } from '../read/field.ts'
import { duration } from '../read/field-types.ts'
import type { ParseState } from '../read/parse-state.ts'
import { actionSteps } from './action-step.ts'
import { repeat } from './repeat-step.ts'
import { request } from './request-step.ts'
import { type Action, defineStep, type StepKind } from './step-kind.ts'

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

const NAMES = expectationKinds.map(({ name }) => name)
const EXAMPLE = {
  expect: '{ notification: 3/2, high_current_alert: true }',
  wait: '{ pin: 3/1, volts: 4.., within: 2s }',
} as const

export const expectStep: StepKind = {
  name: 'expect',
  summary: 'Checks an expectation; a list checks several.',
  fields: {},
  read: (entry, state) => readExpectation(entry, state, 'expect'),
}

export const waitStep: StepKind = {
  name: 'wait',
  summary: 'Waits until an expectation holds, at most until a deadline. If it does not hold by then, the scenario ends.',
  fields: waitFields,
  read: (entry, state) => {
    const { value } = entry
    if (value.kind === 'text') {
      const time = shown(value.text)
      return state.fail(value, `wait is ${time}: write after: ${time} in the step that follows, or wait: ${EXAMPLE.wait}`)
    }
    return readExpectation(entry, state, 'wait')
  },
}

function readExpectation({ value }: Entry, state: ParseState, step: 'expect' | 'wait'): Action | undefined {
  const map = state.map(value, step, `what is expected, as in ${EXAMPLE[step]}`)
  const kind = map && expectationKinds.find(({ name }) => map.entries.some(({ key }) => key === name))
  if (map !== undefined && kind === undefined) return noKind(map, state, step)
  return map && kind?.read(map, state, step)
}

function noKind(map: MapTree, state: ParseState, step: 'expect' | 'wait'): undefined {
  const [first] = map.entries
  const names = NAMES.join(', ')
  if (first === undefined) return state.fail(map, `${step} is empty: write one of ${names}, as in ${EXAMPLE[step]}`)
  const meant = didYouMean(first.key, NAMES)
  return state.fail(first.keySpan, `${step} has no subject: ${shown(first.key)} is not one of ${names}${meant}`)
}
