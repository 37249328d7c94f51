import { useSignal } from '@preact/signals'
import { ClientError } from '@slotwire/client'
import { decimal } from '@slotwire/contract'
import { Action } from '../controls/action.tsx'
import { NumberInput } from '../controls/number-input.tsx'
import type { ModuleClientOf } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type PinState, type PwmSetting, settingWith } from './pin-state.ts'
import { pwmText } from './settings-text.ts'
import { useFollowed } from './use-trigger.ts'

/** A signal while the user edits it: a frequency, and the part of the time that the pin is high, in percent. */
interface SignalDraft {
  readonly frequencyHz: number | undefined
  readonly dutyPercent: number | undefined
}

/** The nearest possible setting, with the signal that it makes; or why no setting is possible. */
type Nearest =
  | { readonly setting: PwmSetting; readonly frequencyHz: number; readonly duty: number; readonly isExact: boolean }
  | { readonly problem: string }

const FREQUENCY = decimal({ unit: 'Hz', min: 0.012, max: 999_999 })
const DUTY = decimal({ unit: '%', min: 0, max: 99.99 })
const FIRST: SignalDraft = { frequencyHz: 1000, dutyPercent: 50 }
const UNKNOWN: SignalDraft = { frequencyHz: undefined, dutyPercent: undefined }
const ANY = { prescaler: 0, time_on: 0, period: 1 }
const DIGITS = 6
const WHOLE = 100
/** Differences below this part are those of the numbers' format. */
const EXACT = 1e-9

/** A pwm signal by frequency and duty, with the setting that is nearest to it. */
export function PwmPanel({ slot, state }: { readonly slot: number; readonly state: PinState }) {
  const texts = useTexts()
  const store = useStore()
  const module = store.module('io', slot)
  const set = settingWith('period', state.output)
  const shown = set === undefined ? (state.output === 'unknown' ? UNKNOWN : FIRST) : roundedSignal(module.signalOf(set))
  const draft = useSignal<SignalDraft>(shown)
  useFollowed(draft, shown)
  const change = (part: Partial<SignalDraft>): void => {
    draft.value = { ...draft.peek(), ...part }
  }
  const nearest = nearestTo(draft.value, module)
  const isPossible = !('problem' in nearest)
  const write = moduleWrite(store, 'io', slot, 'setOutputPwm', { pin: state.pin, ...(isPossible ? nearest.setting : ANY) })
  return (
    <div class="fields">
      <NumberInput
        schema={FREQUENCY}
        label={texts.io.signal.frequency}
        value={draft.value.frequencyHz}
        onChange={(frequencyHz) => change({ frequencyHz })}
      />
      <NumberInput
        schema={DUTY}
        label={texts.io.signal.duty}
        value={draft.value.dutyPercent}
        onChange={(dutyPercent) => change({ dutyPercent })}
      />
      {/* Empty while it is not possible: the fields say which bound is passed. */}
      <output class="nearest">
        {isPossible && (nearest.isExact ? texts.io.signal.exact : texts.io.nearest(pwmText(nearest, texts.language)))}
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

function roundedSignal({ frequencyHz, duty }: { readonly frequencyHz: number; readonly duty: number }): SignalDraft {
  const rounded = (value: number): number => Number(value.toPrecision(DIGITS))
  return { frequencyHz: rounded(frequencyHz), dutyPercent: rounded(duty * WHOLE) }
}

/** The setting that the client would send for a signal. */
export function nearestTo(
  { frequencyHz = Number.NaN, dutyPercent = Number.NaN }: SignalDraft,
  { nearestPwm, signalOf }: Pick<ModuleClientOf<'io'>, 'nearestPwm' | 'signalOf'>,
): Nearest {
  try {
    const exact = { frequencyHz, duty: dutyPercent / WHOLE }
    const setting = nearestPwm(exact)
    const signal = signalOf(setting)
    const isExact = Math.abs(signal.frequencyHz / frequencyHz - 1) < EXACT && Math.abs(signal.duty - exact.duty) < EXACT
    return { setting, ...signal, isExact }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { problem: error.message }
  }
}
