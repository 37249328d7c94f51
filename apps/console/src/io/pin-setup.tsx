import * as clients from '@slotwire/modules/clients'
import { useEffect, useState } from 'preact/hooks'
import { Action, SendChoice } from '../controls/action.tsx'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { FormField } from '../controls/form.tsx'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PIN_MODES, type PinState, settingWith } from './pin-state.ts'
import { PwmPanel } from './pwm-panel.tsx'
import { type TriggerForm, useTrigger } from './use-trigger.ts'

const { setOutputState: OUTPUT, setDigitalCounter: COUNTER } = clients.io.contract.endpoints
/** Recommended by the contract for all but buttons. */
const FIRST_DEBOUNCE_MS = 20

interface Properties {
  readonly slot: number
  readonly state: PinState
  readonly threshold: TriggerForm<'setAnalogThreshold'>
}

/** What can be set at a pin. Choosing what to set sends nothing; nothing is chosen while the mode is unknown. */
export function PinSetup({ slot, state, threshold }: Properties) {
  const texts = useTexts()
  const store = useStore()
  const { pin, mode, power } = state
  const [draftMode, setDraftMode] = useState<(typeof PIN_MODES)[number] | undefined>(undefined)
  useEffect(() => setDraftMode(undefined), [mode])
  const shown = draftMode ?? (mode === 'unknown' ? undefined : mode)
  return (
    <div class="setup">
      <ChoiceInput label={texts.io.setup.setUpAs} choices={PIN_MODES} value={shown} onChange={setDraftMode} />
      {(shown === 'analog' || shown === 'digital') && mode !== shown && (
        <Action
          write={moduleWrite(store, 'io', slot, 'setInputMode', { pin, mode: shown })}
          label={shown === 'analog' ? texts.io.setup.makeAnalog : texts.io.setup.makeDigital}
          isMain
        />
      )}
      {shown === 'analog' && mode === shown && <ThresholdFields slot={slot} threshold={threshold} />}
      {shown === 'digital' && mode === shown && <DigitalFields slot={slot} state={state} />}
      {shown === 'output' && (
        <SendChoice
          label={mode === 'output' ? texts.io.levels.drive : texts.io.levels.driveNow}
          choices={OUTPUT.body.properties.state.enum}
          value={settingWith('state', state.output)?.state}
          writeOf={(level) => moduleWrite(store, 'io', slot, 'setOutputState', { pin, state: level })}
        />
      )}
      {shown === 'pwm' && <PwmPanel slot={slot} state={state} />}
      {(shown === 'output' || shown === 'pwm') && power !== 'unknown' && !power?.current_milliampere && (
        <small class="needs">{texts.io.needsPower}</small>
      )}
    </div>
  )
}

function ThresholdFields({ slot, threshold: { form, isSent } }: Omit<Properties, 'state'>) {
  const texts = useTexts()
  const { trigger } = form.input.value
  return (
    <div class="fields">
      <FormField form={form} name="trigger" label={texts.io.limit.threshold} />
      {(trigger === 'rising' || trigger === 'falling') && (
        <FormField form={form} name="threshold_millivolt" label={texts.io.limit.at} />
      )}
      <Action
        write={moduleWrite(useStore(), 'io', slot, 'setAnalogThreshold', form.input.value)}
        label={texts.io.limit.setThreshold}
        isMain={!isSent}
      />
    </div>
  )
}

/** The interrupt and the counter of a digital input. */
function DigitalFields({ slot, state }: Omit<Properties, 'threshold'>) {
  const texts = useTexts()
  const store = useStore()
  const { pin, counter } = state
  const { form, isSent } = useTrigger('setDigitalInterrupt', state, {
    pin,
    debounce_time_milliseconds: FIRST_DEBOUNCE_MS,
    trigger: 'disabled',
    ...settingWith('debounce_time_milliseconds', state.trigger),
  })
  return (
    <div class="fields">
      <FormField form={form} name="trigger" label={texts.io.digital.interrupt} />
      <FormField form={form} name="debounce_time_milliseconds" />
      <Action
        write={moduleWrite(store, 'io', slot, 'setDigitalInterrupt', form.input.value)}
        label={texts.io.digital.setInterrupt}
        isMain={!isSent}
      />
      <SendChoice
        label={counter === 'unknown' ? texts.io.digital.counterUnknown : texts.io.digital.counter}
        choices={COUNTER.body.properties.state.enum}
        value={counter === 'unknown' ? undefined : counter}
        writeOf={(choice) => moduleWrite(store, 'io', slot, 'setDigitalCounter', { pin, state: choice })}
      />
    </div>
  )
}
