import { useSignal } from '@preact/signals'
import { decimal } from '@slotwire/contract'
import { Action } from '../../controls/action.tsx'
import { NumberInput } from '../../controls/number-input.tsx'
import { useStore } from '../../store/use-store.ts'
import { moduleWrite } from '../../store/write.ts'
import { useLanguage, useTexts } from '../../texts/use-texts.ts'
import { pwmOf } from '../pin-state.ts'
import { pwmText } from '../settings-text.ts'
import { NeedsPower } from './needs-power.tsx'
import type { PanelProperties } from './panel-properties.ts'
import { type Nearest, nearestTo, type Wish } from './pwm-wish.ts'
import { useFollowed } from './use-followed.ts'

const FREQUENCY = decimal({ unit: 'Hz', min: 0.012, max: 999_999 })
const DUTY = decimal({ unit: '%', min: 0, max: 99.99 })
const FIRST: Wish = { frequencyHz: 1000, dutyPercent: 50 }
const DIGITS = 6
const WHOLE = 100

/** A pwm signal by frequency and duty, with the setting that is nearest to it. */
export function PwmPanel({ slot, state }: PanelProperties) {
  const texts = useTexts()
  const store = useStore()
  const module = store.module('io', slot)
  const { pin } = state
  const set = pwmOf(state)
  const signal = set === undefined ? undefined : module.signalOf(set)
  const shown =
    signal === undefined ? FIRST : { frequencyHz: rounded(signal.frequencyHz), dutyPercent: rounded(signal.duty * WHOLE) }
  const wish = useSignal<Wish>(shown)
  useFollowed(wish, shown)
  const nearest = nearestTo(wish.value, module)
  const write =
    'problem' in nearest
      ? {
          ...moduleWrite(store, 'io', slot, 'setOutputPwm', { pin, ...module.nearestPwm({ frequencyHz: 1000, duty: 0 }) }),
          request: undefined,
          problem: nearest.problem,
        }
      : moduleWrite(store, 'io', slot, 'setOutputPwm', { pin, ...nearest.setting })
  return (
    <div class="fields">
      <NumberInput
        schema={FREQUENCY}
        label={texts.io.signal.frequency}
        value={wish.value.frequencyHz}
        onChange={(frequencyHz) => {
          wish.value = { ...wish.peek(), frequencyHz }
        }}
      />
      <NumberInput
        schema={DUTY}
        label={texts.io.signal.duty}
        value={wish.value.dutyPercent}
        onChange={(dutyPercent) => {
          wish.value = { ...wish.peek(), dutyPercent }
        }}
      />
      <NearestLine nearest={nearest} />
      <Action write={write} label={texts.io.signal.setPwm} isMain />
      <NeedsPower state={state} />
    </div>
  )
}

function NearestLine({ nearest }: { readonly nearest: Nearest }) {
  const texts = useTexts()
  const language = useLanguage()
  // The fields say which bound a wish is beyond.
  if ('problem' in nearest) return null
  const { setting, frequencyHz, dutyPercent, isExact } = nearest
  const text = pwmText({ frequencyHz, duty: dutyPercent / WHOLE }, language)
  return (
    <output class="nearest">
      {isExact ? texts.io.signal.exact : texts.io.nearest(text)}
      <small class="number">
        {Object.entries(setting).map(([name, value]) => (
          <span key={name}>{`${name} ${value}`}</span>
        ))}
      </small>
    </output>
  )
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}
