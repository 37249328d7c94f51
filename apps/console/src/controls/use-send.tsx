import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'
import { type Question, useAsk } from '../parts/dialog.tsx'
import type { DeviceStore } from '../store/device-store.ts'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import type { Write } from '../store/write.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/use-texts.ts'

/** What became of the last request of a control. */
interface SendState {
  readonly step: 'none' | 'sending' | 'done' | 'failed'
  /** For `texts.error`. */
  readonly error?: string
}

/** Why a write cannot be sent now, for people; undefined: it can. A component that calls it is rendered again when that changes. */
export function useBlocked(write: Write): string | undefined {
  return blockedBy(write, useStore(), useTexts())
}

function blockedBy({ slots, problem }: Write, store: DeviceStore, texts: Texts): string | undefined {
  const { drive, link } = store
  if (!link.state.value.isConnected) return texts.request.noConnection
  if (slots.length > 0 && !drive.holds(slots)) {
    const other = drive.others.value.find((held) => held.slots.some((slot) => slots.includes(slot)))
    if (other !== undefined) return texts.drive.other(other.holder)
    return drive.state.value.step === 'on' ? texts.drive.neededFor(slots.join(', ')) : texts.drive.needed
  }
  return problem
}

/** Sends writes for a control of its own kind; for a button use `Action`. With `shown`, the outcome is forgotten when that request changes. */
export function useSend(shown?: Write) {
  const store = useStore()
  const texts = useTexts()
  const ask = useAsk()
  const outcome = useSignal<SendState>({ step: 'none' })
  /**
   * Sends a write, after a question if it is dangerous or `question` is given; `false`: no question. Resolves with the reply, or with
   * undefined if it was not sent or failed; `outcome` says why. Never rejects.
   */
  const send = useCallback(
    async (write: Write, question?: Question | false): Promise<unknown> => {
      const blocked = blockedBy(write, store, texts)
      if (blocked !== undefined) {
        outcome.value = { step: 'failed', error: blocked }
        return undefined
      }
      const { name, danger } = write
      const text = danger === undefined ? undefined : { title: texts.request.steps.ask, text: texts.request.danger(name, danger) }
      const confirmation = question === false ? undefined : (question ?? text)
      if (confirmation !== undefined && !(await ask(confirmation))) return undefined
      outcome.value = { step: 'sending' }
      try {
        const reply = await store.sent.send(write)
        outcome.value = { step: 'done' }
        return reply
      } catch (error) {
        outcome.value = { step: 'failed', error: reasonOf(error) }
        return undefined
      }
    },
    [store, texts, ask, outcome],
  )
  const input = JSON.stringify([shown?.request, shown?.problem])
  useEffect(() => {
    if (outcome.peek().step !== 'sending') outcome.value = { step: 'none' }
  }, [input, outcome])
  return { outcome, send }
}

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
