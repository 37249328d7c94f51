import type { Language } from '../texts/language.ts'

const KILO = 1000
const MEGA = 1_000_000

/** How to show a number in a unit of the API. */
function scaleOf(value: number, unit: string) {
  switch (unit) {
    case 'mV':
      return { unit: 'V', factor: 1 / KILO, digits: 3 }
    case 'mW':
      return { unit: 'W', factor: 1 / KILO, digits: 2 }
    case 'mA':
      return Math.abs(value) >= KILO ? { unit: 'A', factor: 1 / KILO, digits: 2 } : { unit, factor: 1, digits: 0 }
    case '°C':
      return { unit, factor: 1, digits: 1 }
    case 'Hz':
      if (value >= MEGA) return { unit: 'MHz', factor: 1 / MEGA, digits: 3 }
      return value >= KILO ? { unit: 'kHz', factor: 1 / KILO, digits: 3 } : { unit, factor: 1, digits: 0 }
    case 'ms':
      return value >= KILO ? { unit: 's', factor: 1 / KILO, digits: 1 } : { unit, factor: 1, digits: 0 }
    default:
      return { unit, factor: 1, digits: Number.isInteger(value) ? 0 : 1 }
  }
}

/** A format is slow to make: one for each language and number of digits. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(language: Language, digits: number): Intl.NumberFormat {
  const key = `${language} ${digits}`
  const cached = formats.get(key)
  if (cached !== undefined) return cached
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  formats.set(key, format)
  return format
}

/** A number as people read it, with its unit: 5000 in `mV` is `5.000 V`. */
export function quantity(value: number, unit: string, language: Language) {
  const { unit: shown, factor, digits } = scaleOf(value, unit)
  return { text: formatOf(language, digits).format(value * factor), unit: shown }
}

export function quantityText(value: number, unit: string, language: Language): string {
  const { text, unit: shown } = quantity(value, unit, language)
  return shown === '' ? text : `${text} ${shown}`
}

/** The time of a date, as `14:03:07`. */
export function timeOfDay(date: number, language: Language): string {
  return new Date(date).toLocaleTimeString(language, { hourCycle: 'h23' })
}

/** Slow to make: one for each language. */
const clockFormats = new Map<string, Intl.DateTimeFormat>()

/** The time of a date with its milliseconds, as `14:03:07.123`. */
export function clockTime(date: number, language: Language): string {
  const options = { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' } as const
  const format = clockFormats.get(language) ?? new Intl.DateTimeFormat(language, options)
  clockFormats.set(language, format)
  return format.format(date)
}
