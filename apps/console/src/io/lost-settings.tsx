import { type Signal, useSignal } from '@preact/signals'
import { OutcomeLine } from '../controls/outcome-line.tsx'
import { RequestButton } from '../controls/request-button.tsx'
import { useBlocked, useSend } from '../controls/use-send.ts'
import { timeOfDay } from '../parts/format.ts'
import type { DeviceStore } from '../store/device-store.ts'
import type { InputFor } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { moduleWrite, type Write } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { type Endpoint, type PinState, pinsIn } from './pin-state.ts'
import { hasSettings, type Step, stepsBack } from './restore.ts'
import { stepText } from './settings-text.ts'

interface Properties {
  readonly slot: number
  readonly now: readonly PinState[]
  /** What a reset or a power configuration took away in this session. */
  readonly cleared: Signal<readonly PinState[] | undefined>
}

/** What must be set again after a new session or a request of this page, and a button that sends it. */
export function LostSettings({ slot, now, cleared }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const notice = store.modules.notices.value.get(slot)
  const old = notice?.what === 'new-session' && notice.service === 'io' ? notice.lost.map(pinsIn) : undefined
  const before = old?.find(hasSettings) ?? old?.[0] ?? cleared.value
  if (before === undefined) return null
  const title = old === undefined ? texts.io.cleared : texts.io.newSession(timeOfDay(notice?.at ?? 0, language))
  const steps = stepsBack(before, now).map((step) => ({
    text: stepText(step, texts, language, store.module('io', slot).signalOf),
    write: writeOf(store, slot, step),
  }))
  const isPartly = before.some(({ mode, power }) => mode === 'unknown' || power === 'unknown')
  const end = (): void => {
    cleared.value = undefined
    if (old !== undefined) store.modules.dismiss(slot)
  }
  return (
    <section class="notice lost-settings" aria-label={title}>
      <p>
        <strong>{title}</strong> {steps.length > 0 ? texts.io.setAgain : texts.io.nothingToSet}
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
        {steps[0] !== undefined && <SendAll steps={[steps[0], ...steps.slice(1)]} onDone={end} />}
        <button type="button" class="quiet" onClick={end}>
          {texts.health.dismiss}
        </button>
      </span>
    </section>
  )
}

interface TextAndWrite {
  readonly text: string
  readonly write: Write
}

interface SendAllProperties {
  readonly steps: readonly [TextAndWrite, ...TextAndWrite[]]
  readonly onDone: () => void
}

/** Sends all requests in their order, and stops at the first that fails or is denied. */
function SendAll({ steps, onDone }: SendAllProperties) {
  const texts = useTexts()
  const { outcome, send } = useSend()
  const isDenied = useSignal(false)
  const blocked = useBlocked(steps[0].write)
  const run = async (): Promise<void> => {
    isDenied.value = false
    const text = texts.io.setAgainLines(steps.map((step) => step.text))
    const question = { title: texts.io.setAgainAsk, text, confirm: texts.io.setAgainSend }
    for (const { write } of steps) {
      const reply = await send(write, write === steps[0].write && question)
      isDenied.value = (reply as { readonly status?: string } | undefined)?.status === 'denied'
      if (reply === undefined || isDenied.value) return
    }
    onDone()
  }
  return (
    <>
      <button type="button" class="main" aria-disabled={blocked !== undefined} title={blocked} onClick={() => void run()}>
        {texts.io.setAgainSend}
      </button>
      {isDenied.value ? <span class="error">{texts.io.denied}</span> : <OutcomeLine outcome={outcome} />}
    </>
  )
}

function writeOf(store: DeviceStore, slot: number, { endpoint, input }: Step): Write {
  return moduleWrite(store, 'io', slot, endpoint, ...([input] as InputFor<'io', Endpoint>))
}
