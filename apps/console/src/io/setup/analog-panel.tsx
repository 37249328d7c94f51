import { Action } from '../../controls/action.tsx'
import { Field } from '../../controls/field.tsx'
import { useStore } from '../../store/use-store.ts'
import { moduleWrite } from '../../store/write.ts'
import { useTexts } from '../../texts/use-texts.ts'
import type { PanelProperties } from './panel-properties.ts'
import type { Threshold } from './use-threshold.ts'

/** An analog input, and its threshold. */
export function AnalogPanel({ slot, state: { pin, mode }, threshold }: PanelProperties & { readonly threshold: Threshold }) {
  const texts = useTexts()
  const store = useStore()
  const { form } = threshold
  if (mode !== 'analog')
    return (
      <Action
        write={moduleWrite(store, 'io', slot, 'setInputMode', { pin, mode: 'analog' })}
        label={texts.io.setup.makeAnalog}
        isMain
      />
    )
  return (
    <div class="fields">
      <Field form={form} name="trigger" label={texts.io.limit.threshold} />
      {form.input.value.trigger !== 'disabled' && <Field form={form} name="threshold_millivolt" label={texts.io.limit.at} />}
      <Action
        write={moduleWrite(store, 'io', slot, 'setAnalogThreshold', form.input.value)}
        label={texts.io.limit.setThreshold}
        isMain={!threshold.isSent}
      />
    </div>
  )
}
