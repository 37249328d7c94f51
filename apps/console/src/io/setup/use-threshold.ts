import type { IntegerSchema } from '@slotwire/contract'
import { type Form, useForm } from '../../controls/form.ts'
import type { InputFor } from '../../store/device-types.ts'
import { type PinState, thresholdOf } from '../pin-state.ts'
import { useFollowed } from './use-followed.ts'

/** A threshold while the user edits it: in the fields, and as a line in the chart. */
export interface Threshold {
  readonly form: Form<NonNullable<InputFor<'io', 'setAnalogThreshold'>[0]>>
  /** Whether the module has it as it is shown. */
  readonly isSent: boolean
  readonly range: { readonly min: number; readonly max: number }
}

const FIRST_MILLIVOLT = 1500

export function useThreshold(state: PinState): Threshold {
  const acknowledged = thresholdOf(state)
  const { pin } = state
  const set = { pin, threshold_millivolt: FIRST_MILLIVOLT, trigger: 'disabled' as const, ...acknowledged }
  const form = useForm('io', 'setAnalogThreshold', set)
  useFollowed(form.input, set)
  const { minimum = 0, maximum = 0 } = form.schemaOf('threshold_millivolt') as IntegerSchema
  return { form, isSent: JSON.stringify(form.input.value) === JSON.stringify(set), range: { min: minimum, max: maximum } }
}
