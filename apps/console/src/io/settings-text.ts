import * as clients from '@slotwire/modules/clients'
import { quantityText } from '../parts/format.ts'
import type { ModuleClientOf } from '../store/device-types.ts'
import type { Texts } from '../texts/en.ts'
import type { Language } from '../texts/language.ts'
import type { PinPower, RestoreStep } from './pin-state.ts'

/** The client's way from a setting to its signal. */
type SignalOf = ModuleClientOf<'io'>['signalOf']

const WHOLE = 100
const KILO = 1000
/** All digits that say something. */
const FREQUENCY_DIGITS = 7

/** `1.234568 kHz, 50 %`. */
export function pwmText({ frequencyHz, duty }: ReturnType<SignalOf>, language: Language, digits = FREQUENCY_DIGITS): string {
  const [value, unit] = frequencyHz >= KILO ? [frequencyHz / KILO, 'kHz'] : [frequencyHz, 'Hz']
  const frequency = value.toLocaleString(language, { maximumSignificantDigits: digits })
  return `${frequency} ${unit}, ${(duty * WHOLE).toLocaleString(language, { maximumFractionDigits: 2 })} %`
}

export function powerText({ rail, current_milliampere: current }: PinPower, texts: Texts): string {
  return `${texts.word(rail)}, ${quantityText(current, 'mA', texts.language)}`
}

/** What a request sets, for people: `Pin 4: interrupt 20 ms, pulse`. */
export function stepText({ endpoint, input }: RestoreStep, texts: Texts, signalOf: SignalOf): string {
  const what = texts.io.steps[endpoint]
  if (endpoint === 'setPowerConfiguration') {
    const each = input.config.map((power) => powerText(power, texts))
    return `${what} ${new Set(each).size === 1 ? each[0] : each.join(' · ')}`
  }
  const { pin, ...setting } = input
  if (endpoint === 'setOutputPwm') return `${texts.pin(pin)}: ${what} ${pwmText(signalOf(input), texts.language)}`
  const fields: Readonly<Record<string, object>> = clients.io.contract.endpoints[endpoint].body.properties
  const values = Object.entries<string | number>({ ...setting }).map(([name, value]) => {
    const unit = (fields[name] as { readonly 'x-unit'?: string } | undefined)?.['x-unit']
    return typeof value === 'number' ? quantityText(value, unit ?? '', texts.language) : texts.word(value)
  })
  return `${texts.pin(pin)}: ${what} ${values.join(', ')}`
}
