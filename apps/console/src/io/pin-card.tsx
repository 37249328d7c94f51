import { Action } from '../controls/action.tsx'
import { Field } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Card } from '../parts/card.tsx'
import { Value } from '../parts/value.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

/** One pin: its value, and a threshold. */
export function PinCard({ slot, pin }: { readonly slot: number; readonly pin: number }) {
  const texts = useTexts()
  const store = useStore()
  const values = useReading('io', slot, 'getInputValues', 250)
  const form = useForm('io', 'setAnalogThreshold', { pin, threshold_millivolt: 1500, trigger: 'rising' })
  return (
    <Card
      title={texts.pin(pin)}
      aside={<Value reading={values} pick={({ pins }) => pins.find((each) => each.pin === pin)?.value} unit="mV" />}
    >
      <Field form={form} name="threshold_millivolt" />
      <Field form={form} name="trigger" />
      <Action write={moduleWrite(store, 'io', slot, 'setAnalogThreshold', form.input.value)} label={texts.set} isMain />
    </Card>
  )
}
