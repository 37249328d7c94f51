import { compileBody, type ValueOf } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ModuleTypes } from '../../module/firmware.ts'
import type { Bench } from '../bench.ts'
import { type ActionReply, actionEndpoint, type BenchAction, perform } from './action.ts'
import { deviceActions } from './device-actions.ts'
import { faultActions, plugActions } from './slot-actions.ts'
import { wiringActions } from './wiring-actions.ts'

export { type ActionReply, actionEndpoint, BENCH_ROOT, type BenchAction, benchWrite, mistakeOf, perform } from './action.ts'
export { FAULTS, nameText, PIN, PLACE, pinField, SLOT, slotField } from './fields.ts'
export { pinAt } from './wiring-actions.ts'

/** Every action of the bench by its name, in the order of the page about scenarios. */
const actionsFor = (types: ModuleTypes) => ({
  ...wiringActions(types),
  ...plugActions(types),
  ...deviceActions,
  ...faultActions(types),
})
type Actions = ReturnType<typeof actionsFor>

/** The actions of a bench by name, for the module types that can be plugged. */
export const benchActions = (types: ModuleTypes) => actionsFor(types) as Readonly<Record<string, BenchAction>>

/** With the settings of elements, faults and modules, which are checked when the action runs. */
type Values<Name extends keyof Actions> = ValueOf<Actions[Name]['body']> & Readonly<Record<string, unknown>>

/** The actions as functions: `twin.actions.short({ pin: '3/1' })`. They reject with `SlotwireError`. */
export type BenchCalls = { readonly [Name in keyof Actions]: (values: Values<Name>) => Promise<ActionReply> }

/** Does an action after a check of its fields. Throws or rejects with `SlotwireError`. */
export function performChecked(name: string, action: BenchAction, bench: Bench, values: object): ReturnType<typeof perform> {
  const problem = compileBody(actionEndpoint(name, action))(values)
  if (problem !== undefined) throw coreErrors.invalidField({ reason: problem })
  return perform(action, bench, values)
}

export function benchCalls(bench: Bench, types: ModuleTypes): BenchCalls {
  const calls = Object.entries(benchActions(types)).map(([name, action]) => [
    name,
    async (values: object) => performChecked(name, action, bench, values),
  ])
  return Object.fromEntries(calls) as BenchCalls
}
