import { useState } from 'preact/hooks'
import { RequestButton } from '../controls/request-button.tsx'
import { OutcomeLine, useBlocked, useSend } from '../controls/use-send.tsx'
import { timeOfDay } from '../parts/format.ts'
import type { InputFor } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type PinEndpoint, type PinState, pinsIn } from './pin-state.ts'
import { stepText } from './settings-text.ts'

interface Properties {
  readonly slot: number
  readonly now: readonly PinState[]
}

/** What must be set again after a new session, and a button that sends it. */
export function LostSettings({ slot, now }: Properties) {
  const texts = useTexts()
  const store = useStore()
  const { outcome, send } = useSend()
  const [isDenied, setDenied] = useState(false)
  const notice = store.modules.notices.value.get(slot)
  const old = notice?.what === 'new-session' && notice.service === 'io' ? notice.lost.map(pinsIn) : []
  const { signalOf, stepsBack } = store.module('io', slot)
  const before = old.find((pins) => stepsBack(pins, []).length > 0) ?? old[0]
  const steps = stepsBack(before ?? now, now).map((step) => ({
    text: stepText(step, texts, signalOf),
    write: moduleWrite(store, 'io', slot, step.endpoint, ...([step.input] as InputFor<'io', PinEndpoint>)),
  }))
  const blocked = useBlocked(steps[0]?.write ?? moduleWrite(store, 'io', slot, 'reset', { reset: 'yes' }))
  if (before === undefined || notice === undefined) return null
  const title = texts.io.newSession(timeOfDay(notice.at, texts.language))
  const isPartly = before.some(({ mode, power }) => mode === 'unknown' || power === 'unknown')
  const end = (): void => store.modules.dismiss(slot)
  /** Sends all requests in their order, and stops at the first that fails or is denied. */
  const run = async (): Promise<void> => {
    for (const { write } of steps) {
      const reply = await send(write, false)
      const denied = (reply as { readonly status?: string } | undefined)?.status === 'denied'
      setDenied(denied)
      if (reply === undefined || denied) return
    }
    end()
  }
  return (
    <section class="notice lost-settings" aria-label={title}>
      <p>
        <strong>{title}</strong> {steps.length > 0 ? texts.io.again.setAgain : texts.io.nothingToSet}
        {isPartly && ` ${texts.io.partlyKnown}`}
      </p>
      <ol>
        {steps.map(({ text, write }) => (
          <li key={text}>
            {text} <RequestButton write={write} />
          </li>
        ))}
      </ol>
      <span class="action">
        {steps.length > 0 && (
          <button type="button" class="main" aria-disabled={blocked !== undefined} title={blocked} onClick={() => void run()}>
            {texts.io.again.setAgainSend}
          </button>
        )}
        <button type="button" class="quiet" onClick={end}>
          {texts.health.dismiss}
        </button>
        {isDenied ? <span class="error">{texts.io.decision.denied}</span> : <OutcomeLine outcome={outcome} />}
      </span>
    </section>
  )
}
