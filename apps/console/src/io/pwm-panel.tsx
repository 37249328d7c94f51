import { useSignal } from '@preact/signals'
import { decimal } from '@slotwire/contract'
import { Action } from '../controls/action.tsx'
import { NumberInput } from '../controls/number-input.tsx'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { type PinState, pwmOf } from './pin-state.ts'
import { nearestTo, type Wish } from './pwm-wish.ts'
import { pwmText } from './settings-text.ts'
import { useFollowed } from './use-trigger.ts'

const FREQUENCY = decimal({ unit: 'Hz', min: 0.012, max: 999_999 })
const DUTY = decimal({ unit: '%', min: 0, max: 99.99 })
const FIRST: Wish = { frequencyHz: 1000, dutyPercent: 50 }
const UNKNOWN: Wish = { frequencyHz: undefined, dutyPercent: undefined }
const ANY = { prescaler: 0, time_on: 0, period: 1 }
const DIGITS = 6
const WHOLE = 100

/** A pwm signal by frequency and duty, with the setting that is nearest to it. */
export function PwmPanel({ slot, state }: { readonly slot: number; readonly state: PinState }) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const module = store.module('io', slot)
  const set = pwmOf(state)
  const shown = set === undefined ? (state.output === 'unknown' ? UNKNOWN : FIRST) : wishOf(module.signalOf(set))
  const wish = useSignal<Wish>(shown)
  useFollowed(wish, shown)
  const change = (part: Partial<Wish>): void => {
    wish.value = { ...wish.peek(), ...part }
  }
  const nearest = nearestTo(wish.value, module)
  const isPossible = !('problem' in nearest)
  const write = moduleWrite(store, 'io', slot, 'setOutputPwm', { pin: state.pin, ...(isPossible ? nearest.setting : ANY) })
  return (
    <div class="fields">
      <NumberInput
        schema={FREQUENCY}
        label={texts.io.signal.frequency}
        value={wish.value.frequencyHz}
        onChange={(frequencyHz) => change({ frequencyHz })}
      />
      <NumberInput
        schema={DUTY}
        label={texts.io.signal.duty}
        value={wish.value.dutyPercent}
        onChange={(dutyPercent) => change({ dutyPercent })}
      />
      {/* Empty while it is not possible: the fields say which bound is passed. */}
      <output class="nearest">
        {isPossible && (nearest.isExact ? texts.io.signal.exact : texts.io.nearest(pwmText(nearest, language)))}
        <small class="number">
          {Object.entries(isPossible ? nearest.setting : {}).map(([name, value]) => (
            <span key={name}>{`${name} ${value}`}</span>
          ))}
        </small>
      </output>
      <Action
        write={isPossible ? write : { ...write, request: undefined, problem: nearest.problem }}
        label={texts.io.signal.setPwm}
        isMain
      />
    </div>
  )
}

function wishOf({ frequencyHz, duty }: { readonly frequencyHz: number; readonly duty: number }): Wish {
  const rounded = (value: number): number => Number(value.toPrecision(DIGITS))
  return { frequencyHz: rounded(frequencyHz), dutyPercent: rounded(duty * WHOLE) }
}
