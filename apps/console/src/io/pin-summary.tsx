import { useComputed } from '@preact/signals'
import { Badge } from '../parts/badge.tsx'
import { Value } from '../parts/value.tsx'
import { useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import type { PinProperties } from './pin-properties.ts'
import { levelOf, type PinState, pwmOf } from './pin-state.ts'
import { UNITS } from './pin-traces.ts'
import { pwmText } from './settings-text.ts'

/** Of a frequency; the fields have all. */
const BADGE_DIGITS = 4

/** The name of a pin, what it is, and its value now. */
export function PinSummary({ slot, state, values }: PinProperties) {
  const texts = useTexts()
  const { pin } = state
  const type = useComputed(() => values.value.value?.pins.find((each) => each.pin === pin)?.pin_type)
  return (
    <>
      <h2 data-color={pin}>{texts.pin(pin)}</h2>
      <ModeBadge slot={slot} state={state} />
      <Value
        reading={values}
        pick={({ pins }) => pins.find((each) => each.pin === pin)?.value}
        unit={type.value === undefined ? '' : UNITS[type.value]}
        label={texts.io.valueOf(pin)}
        {...(type.value === 'digital_input' ? { wordOf: (level: number) => texts.io.level(level) } : {})}
      />
    </>
  )
}

function ModeBadge({ slot, state }: { readonly slot: number; readonly state: PinState }) {
  const texts = useTexts()
  const language = useLanguage()
  const { signalOf } = useStore().module('io', slot)
  const [level, pwm] = [levelOf(state), pwmOf(state)]
  const drives = state.mode === 'output' || state.mode === 'pwm'
  return (
    <Badge tone={state.mode === 'unknown' ? 'warn' : drives ? 'accent' : 'quiet'}>
      {texts.io.modes[state.mode]}
      {level !== undefined && ` ${texts.word(level)}`}
      {pwm !== undefined && ` ${pwmText(signalOf(pwm), language, BADGE_DIGITS)}`}
    </Badge>
  )
}
