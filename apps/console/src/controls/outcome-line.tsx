import type { ReadonlySignal } from '@preact/signals'
import { useTexts } from '../texts/use-texts.ts'
import type { Outcome } from './use-send.ts'

/** Says what became of a request; a screen reader reads it out. */
export function OutcomeLine({ outcome }: { readonly outcome: ReadonlySignal<Outcome> }) {
  const texts = useTexts()
  const { step, error = '' } = outcome.value
  return (
    <span class="outcome" role="status" data-step={step}>
      {step === 'sending' && texts.request.steps.sending}
      {step === 'done' && texts.request.steps.done}
      {step === 'failed' && error}
    </span>
  )
}
