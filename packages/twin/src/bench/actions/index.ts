import { compileBody, type ValueOf } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ModuleTypes } from '../../module/firmware.ts'
import type { Bench } from '../bench.ts'
import { type ActionReply, actionEndpoint, type BenchAction, perform } from './action.ts'
import { actionMakers } from './list.ts'

export { AMBIENT_CELSIUS as ambientSchema, COMPUTER_WATT as computerSchema } from '../bounds.ts'
export { type ActionReply, actionEndpoint, type BenchAction, mistakeOf, perform } from './action.ts'
export { railFields as railSchemas } from './device-actions.ts'
export { FAULTS, nameText, PIN, PLACE, pinField, SLOT, slotField } from './fields.ts'
export { pinAt } from './wiring-actions.ts'

/** The actions of a bench by name, for the module types that can be plugged. */
export function benchActions(types: ModuleTypes): Readonly<Record<string, BenchAction>> {
  return Object.fromEntries(Object.entries(actionMakers).map(([name, make]) => [name, make(types) as BenchAction]))
}

/** With the settings of elements, faults and modules, which are checked when the action runs. */
type Values<Name extends keyof typeof actionMakers> = ValueOf<ReturnType<(typeof actionMakers)[Name]>['body']> &
  Readonly<Record<string, unknown>>

/** The actions as functions: `twin.actions.short({ pin: '3/1' })`. They reject with `SlotwireError`. */
export type BenchCalls = { readonly [Name in keyof typeof actionMakers]: (values: Values<Name>) => Promise<ActionReply> }

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
