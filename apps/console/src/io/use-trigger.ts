import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Form, useForm } from '../controls/form.tsx'
import type { PinInput, PinState } from './pin-state.ts'

/** A threshold or an interrupt while the user edits it. */
export interface TriggerForm<Name extends 'setAnalogThreshold' | 'setDigitalInterrupt'> {
  readonly form: Form<PinInput<Name>>
  /** Whether the module has it as it is shown. */
  readonly isSent: boolean
}

/** `set`: what the module has, or a proposal if it has none. While that is unknown, no trigger is chosen. */
export function useTrigger<Name extends 'setAnalogThreshold' | 'setDigitalInterrupt'>(
  name: Name,
  { trigger }: PinState,
  set: PinInput<Name>,
): TriggerForm<Name> {
  const reported = trigger === 'unknown' ? { ...set, trigger: undefined as unknown as typeof set.trigger } : set
  const form = useForm('io', name, reported as never) as Form<PinInput<Name>>
  useFollowed(form.input, reported)
  return { form, isSent: JSON.stringify(form.input.value) === JSON.stringify(reported) }
}

/** What the user edits follows the module when that reports another setting. */
export function useFollowed<Value>(edited: Signal<Value>, set: Value): void {
  useEffect(() => {
    edited.value = set
  }, [JSON.stringify(set)])
}
