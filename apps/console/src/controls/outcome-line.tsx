import type { ReadonlySignal } from '@preact/signals'
import { useTexts } from '../texts/use-texts.ts'
import type { SendState } from './use-send.ts'

/** An error that another card of the page can remedy. */
const NO_POWER = 'power-configuration-missing'
/** Id of the fields of that card. */
export const POWER_FIELDS = 'power-fields'

/** Says what became of a request; a screen reader reads it out. */
export function OutcomeLine({ outcome }: { readonly outcome: ReadonlySignal<SendState> }) {
  const texts = useTexts()
  const { step, error = '' } = outcome.value
  return (
    <span class="outcome" role="status" data-step={step}>
      {step === 'sending' && texts.request.steps.sending}
      {step === 'done' && texts.request.steps.done}
      {step === 'failed' && texts.error(error)}
      {step === 'failed' && error === NO_POWER && (
        <button type="button" class="quiet" onClick={() => document.getElementById(POWER_FIELDS)?.scrollIntoView()}>
          {texts.io.all.power}
        </button>
      )}
    </span>
  )
}
