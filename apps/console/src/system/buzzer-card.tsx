import { Action } from '../controls/action.tsx'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { Field } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

const FIRST_SOUND = 2
const SHORT_MS = 200

/** Plays a sound, or switches the mainboard's own sounds. */
export function BuzzerCard({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { buzzer, buzzerMode, buzzerModes, buzzerSend, buzzerTime } = texts.system
  const form = useForm('bmc', 'setBuzzer', { mode: FIRST_SOUND, duration: SHORT_MS })
  const { mode } = form.input.value
  const isSound = mode >= FIRST_SOUND
  return (
    <Card title={buzzer}>
      <ChoiceInput
        label={buzzerMode}
        choices={buzzerModes}
        value={buzzerModes[mode]}
        onChange={(chosen) => {
          form.input.value = { ...form.input.peek(), mode: buzzerModes.indexOf(chosen) }
        }}
      />
      <div class="fields">
        {isSound && <Field form={form} name="duration" label={buzzerTime} />}
        <Action
          write={moduleWrite(useStore(), 'bmc', slot, 'setBuzzer', form.input.value)}
          label={isSound ? buzzerSend : texts.set}
        />
      </div>
    </Card>
  )
}
