import { timeOfDay } from '../parts/format.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import type { PinAlert } from './use-alerts.ts'

/** The pin falls back to analog input; spec "Events". */
const DISABLING = ['under_voltage_alert', 'high_voltage_alert', 'high_current_alert']

/** The newest alert of a pin, and what the module did. */
export function LastAlert({ alert }: { readonly alert: PinAlert | undefined }) {
  const texts = useTexts()
  const language = useLanguage()
  if (alert === undefined) return <p class="last-alert muted">{texts.io.facts.noAlert}</p>
  const isOff = alert.flags.some((flag) => DISABLING.includes(flag))
  return (
    <p class="last-alert" data-tone={isOff ? 'bad' : 'warn'} role="status">
      {texts.io.lastAlert(alert.flags.map((flag) => texts.io.alert(flag)).join(', '), timeOfDay(alert.at, language))}
      {isOff && ` ${texts.io.switchedOff}`}
    </p>
  )
}
