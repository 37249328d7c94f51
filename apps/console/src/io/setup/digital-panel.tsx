import * as clients from '@slotwire/modules/clients'
import { Action } from '../../controls/action.tsx'
import { Field } from '../../controls/field.tsx'
import { useForm } from '../../controls/form.ts'
import { SendChoice } from '../../controls/send-choice.tsx'
import { useStore } from '../../store/use-store.ts'
import { moduleWrite } from '../../store/write.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { interruptOf } from '../pin-state.ts'
import type { PanelProperties } from './panel-properties.ts'
import { useFollowed } from './use-followed.ts'

const { state: COUNTER } = clients.io.contract.endpoints.setDigitalCounter.body.properties
/** Recommended by the contract for all but buttons. */
const FIRST_DEBOUNCE_MS = 20

/** A digital input, its interrupt and its counter. */
export function DigitalPanel({ slot, state }: PanelProperties) {
  const texts = useTexts()
  const store = useStore()
  const { pin, mode, counter } = state
  const set = { pin, debounce_time_milliseconds: FIRST_DEBOUNCE_MS, trigger: 'disabled' as const, ...interruptOf(state) }
  const form = useForm('io', 'setDigitalInterrupt', set)
  useFollowed(form.input, set)
  if (mode !== 'digital')
    return (
      <Action
        write={moduleWrite(store, 'io', slot, 'setInputMode', { pin, mode: 'digital' })}
        label={texts.io.setup.makeDigital}
        isMain
      />
    )
  return (
    <div class="fields">
      <Field form={form} name="trigger" label={texts.io.digital.interrupt} />
      <Field form={form} name="debounce_time_milliseconds" />
      <Action
        write={moduleWrite(store, 'io', slot, 'setDigitalInterrupt', form.input.value)}
        label={texts.io.digital.setInterrupt}
        isMain={JSON.stringify(form.input.value) !== JSON.stringify(set)}
      />
      <SendChoice
        label={counter === 'unknown' ? texts.io.digital.counterUnknown : texts.io.digital.counter}
        choices={COUNTER.enum}
        value={counter === 'unknown' ? undefined : counter}
        writeOf={(choice) => moduleWrite(store, 'io', slot, 'setDigitalCounter', { pin, state: choice })}
      />
    </div>
  )
}
