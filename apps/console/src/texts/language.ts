// What all languages share.

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES
/** Texts by names of the API. */
export type Words = Readonly<Record<string, string>>

const UNITS_MS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 }

/** `12 s`, `4 min`, `3 h 20 min`, `5 d 2 h`; `day` is the letter for days. */
export function durationText(ms: number, day: string): string {
  const part = (of: number, unit: keyof typeof UNITS_MS): number => Math.floor(of / UNITS_MS[unit])
  if (ms < UNITS_MS.minute) return `${part(ms, 'second')} s`
  if (ms < UNITS_MS.hour) return `${part(ms, 'minute')} min`
  if (ms < UNITS_MS.day) return `${part(ms, 'hour')} h ${part(ms % UNITS_MS.hour, 'minute')} min`
  return `${part(ms, 'day')} ${day} ${part(ms % UNITS_MS.day, 'hour')} h`
}

/** `square_wave` is `square wave`. */
export const spaced = (name: string): string => name.replaceAll('_', ' ')

/** `square_wave` is `Square wave`. */
export function capitalized(name: string): string {
  const words = spaced(name)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** The texts of names. Other names are shown as `otherwise` makes them. */
export function textsOr(otherwise: (name: string) => string, words: Words): (name: string) => string {
  return (name) => words[name] ?? otherwise(name)
}

/** The texts of names. Other names are shown as they are. */
export const textsFor = (words: Words): ((name: string) => string) => textsOr((name) => name, words)

/** The texts of protection counters: `ocp_cnt_12v`. */
export function counterTexts(rails: Words, causes: Words): (name: string) => string {
  return (name) => {
    const [cause = '', rail] = name.split('_cnt_')
    return rail === undefined ? (causes[name] ?? name) : `${causes[cause] ?? cause} ${rails[rail] ?? rail}`
  }
}

/** The pin falls back to analog input; spec "Events". */
const DISABLING = ['under_voltage_alert', 'high_voltage_alert', 'high_current_alert']

export function isDisabling(flags: readonly string[]): boolean {
  return flags.some((flag) => DISABLING.includes(flag))
}

/** An alert in words, and what the module did. */
export function alertTexts(switchedOff: string, flagText: (flag: string) => string): (flags: readonly string[]) => string {
  return (flags) => `${flags.map(flagText).join(', ')}.${isDisabling(flags) ? ` ${switchedOff}` : ''}`
}
