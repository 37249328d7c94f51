import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ChoiceInput } from '../../controls/choice-input.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { AnalogPanel } from './analog-panel.tsx'
import { DigitalPanel } from './digital-panel.tsx'
import { OutputPanel } from './output-panel.tsx'
import type { PanelProperties } from './panel-properties.ts'
import { PwmPanel } from './pwm-panel.tsx'
import type { Threshold } from './use-threshold.ts'

const MODES = ['analog', 'digital', 'output', 'pwm'] as const

/** What can be set at a pin. Choosing what to set sends nothing. */
export function PinSetup({ slot, state, threshold }: PanelProperties & { readonly threshold: Threshold }) {
  const texts = useTexts()
  const { mode } = state
  const chosen = useSignal<(typeof MODES)[number] | undefined>(undefined)
  useEffect(() => {
    chosen.value = undefined
  }, [mode])
  const shown = chosen.value ?? (mode === 'unknown' ? 'analog' : mode)
  return (
    <div class="setup">
      <ChoiceInput
        label={texts.io.setup.setUpAs}
        choices={MODES}
        value={shown}
        onChange={(choice) => {
          chosen.value = choice
        }}
      />
      {shown === 'analog' && <AnalogPanel slot={slot} state={state} threshold={threshold} />}
      {shown === 'digital' && <DigitalPanel slot={slot} state={state} />}
      {shown === 'output' && <OutputPanel slot={slot} state={state} />}
      {shown === 'pwm' && <PwmPanel slot={slot} state={state} />}
    </div>
  )
}
