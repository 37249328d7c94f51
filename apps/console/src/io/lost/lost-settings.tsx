import { useSignal } from '@preact/signals'
import { OutcomeLine } from '../../controls/outcome-line.tsx'
import { RequestButton } from '../../controls/request-button.tsx'
import { useBlocked, useSend } from '../../controls/use-send.ts'
import { useStore } from '../../store/use-store.ts'
import { useLanguage, useTexts } from '../../texts/use-texts.ts'
import type { PinState } from '../pin-state.ts'
import { stepText } from '../settings-text.ts'
import { type Step, stepsBack } from './restore.ts'
import { stepWrite } from './step-write.ts'

interface Properties {
  readonly slot: number
  readonly title: string
  /** What was set, as far as it is known. */
  readonly before: readonly PinState[]
  readonly now: readonly PinState[]
  /** The user has seen it, or all is set again. */
  readonly onEnd: () => void
}

/** What must be set again after a new session or a reset, and a button that sends it. */
export function LostSettings({ slot, title, before, now, onEnd }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const { signalOf } = store.module('io', slot)
  const steps = stepsBack(before, now)
  const [first] = steps
  const isPartly = before.some(({ mode, power }) => mode === 'unknown' || power === 'unknown')
  return (
    <section class="notice lost-settings" aria-label={title}>
      <p>
        <strong>{title}</strong> {steps.length > 0 ? texts.io.again.setAgain : texts.io.nothingToSet}
        {isPartly && ` ${texts.io.partlyKnown}`}
      </p>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={JSON.stringify(step)}>
              {stepText(step, texts, language, signalOf)} <RequestButton write={stepWrite(store, slot, step)} />
            </li>
          ))}
        </ol>
      )}
      <span class="action">
        {first !== undefined && <SendAll slot={slot} first={first} steps={steps} onDone={onEnd} />}
        <button type="button" class="quiet" onClick={onEnd}>
          {texts.health.dismiss}
        </button>
      </span>
    </section>
  )
}

interface SendAllProperties {
  readonly slot: number
  readonly first: Step
  readonly steps: readonly Step[]
  readonly onDone: () => void
}

/** Sends all requests in their order, and stops at the first that fails or is denied. */
function SendAll({ slot, first, steps, onDone }: SendAllProperties) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const { signalOf } = store.module('io', slot)
  const { outcome, send } = useSend()
  const isDenied = useSignal(false)
  const blocked = useBlocked(stepWrite(store, slot, first))
  const run = async (): Promise<void> => {
    isDenied.value = false
    const lines = steps.map((step) => stepText(step, texts, language, signalOf))
    const question = {
      title: texts.io.again.setAgainAsk,
      text: texts.io.setAgainLines(lines),
      confirm: texts.io.again.setAgainSend,
    }
    for (const [index, step] of steps.entries()) {
      const reply = await send(stepWrite(store, slot, step), index === 0 && question)
      isDenied.value = (reply as { readonly status?: string } | undefined)?.status === 'denied'
      if (reply === undefined || isDenied.value) return
    }
    onDone()
  }
  return (
    <>
      <button type="button" class="main" aria-disabled={blocked !== undefined} title={blocked} onClick={() => void run()}>
        {texts.io.again.setAgainSend}
      </button>
      {isDenied.value ? <span class="error">{texts.io.decision.denied}</span> : <OutcomeLine outcome={outcome} />}
    </>
  )
}
