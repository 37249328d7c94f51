import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Form, useForm } from '../controls/form.ts'
import type { Input, PinState } from './pin-state.ts'

/** A threshold or an interrupt while the user edits it. */
export interface Trigger<Name extends 'setAnalogThreshold' | 'setDigitalInterrupt'> {
  readonly form: Form<Input<Name>>
  /** Whether the module has it as it is shown. */
  readonly isSent: boolean
}

/** `set`: what the module has, or a proposal if it has none. While that is unknown, no trigger is chosen. */
export function useTrigger<Name extends 'setAnalogThreshold' | 'setDigitalInterrupt'>(
  name: Name,
  { trigger }: PinState,
  set: Input<Name>,
): Trigger<Name> {
  const known = trigger === 'unknown' ? { ...set, trigger: undefined as unknown as typeof set.trigger } : set
  const form = useForm('io', name, known as never) as Form<Input<Name>>
  useFollowed(form.input, known)
  return { form, isSent: JSON.stringify(form.input.value) === JSON.stringify(known) }
}

/** What the user edits follows the module when that reports another setting. */
export function useFollowed<Value>(edited: Signal<Value>, set: Value): void {
  useEffect(() => {
    edited.value = set
  }, [JSON.stringify(set)])
}
