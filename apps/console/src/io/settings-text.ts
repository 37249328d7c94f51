import { quantityText } from '../parts/format.ts'
import type { Texts } from '../texts/en.ts'
import type { Language } from '../texts/use-texts.ts'
import type { Step } from './lost/restore.ts'
import type { PinPower, PwmSetting } from './pin-state.ts'

/** The client's way from a setting to its signal. */
type SignalOf = (setting: PwmSetting) => { readonly frequencyHz: number; readonly duty: number }

const WHOLE = 100
const KILO = 1000
/** All digits that say something. */
const FREQUENCY_DIGITS = 7

/** `1.234568 kHz`. */
function frequencyText(hertz: number, language: Language, digits: number): string {
  const [value, unit] = hertz >= KILO ? [hertz / KILO, 'kHz'] : [hertz, 'Hz']
  return `${new Intl.NumberFormat(language, { maximumSignificantDigits: digits }).format(value)} ${unit}`
}

function percentText(percent: number, language: Language): string {
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(percent)} %`
}

export function pwmText({ frequencyHz, duty }: ReturnType<SignalOf>, language: Language, digits = FREQUENCY_DIGITS): string {
  return `${frequencyText(frequencyHz, language, digits)}, ${percentText(duty * WHOLE, language)}`
}

export function powerText({ rail, current_milliampere: current }: PinPower, texts: Texts, language: Language): string {
  return `${texts.word(rail)}, ${quantityText(current, 'mA', language)}`
}

/** What a request sets, for people: `Pin 1: output high`. */
export function stepText(step: Step, texts: Texts, language: Language, signalOf: SignalOf): string {
  if (step.endpoint !== 'setPowerConfiguration')
    return `${texts.pin(step.input.pin)}: ${pinStepText(step, texts, language, signalOf)}`
  const each = step.input.config.map((power) => powerText(power, texts, language))
  const isSame = new Set(each).size === 1
  return texts.io.steps.power(isSame ? (each[0] ?? '') : each.join(' · '), isSame)
}

function pinStepText(
  { endpoint, input }: Exclude<Step, { endpoint: 'setPowerConfiguration' }>,
  texts: Texts,
  language: Language,
  signalOf: SignalOf,
): string {
  switch (endpoint) {
    case 'setInputMode':
      return texts.io.steps.input(input.mode)
    case 'setOutputState':
      return texts.io.steps.output(texts.word(input.state))
    case 'setOutputPwm':
      return `PWM ${pwmText(signalOf(input), language)}`
    case 'setAnalogThreshold':
      return texts.io.steps.threshold(quantityText(input.threshold_millivolt, 'mV', language), texts.word(input.trigger))
    case 'setDigitalInterrupt':
      return texts.io.steps.interrupt(texts.word(input.trigger), quantityText(input.debounce_time_milliseconds, 'ms', language))
    case 'setDigitalCounter':
      return texts.io.steps.counter
  }
}
