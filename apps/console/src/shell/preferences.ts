import { effect, signal } from '@preact/signals'
import { orElse } from '@slotwire/core'
import { createContext } from 'preact'
import { LANGUAGES, type Language } from '../texts/language.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** Without a default: `main.tsx` provides it. */
export const PreferencesContext = createContext(undefined as unknown as ReturnType<typeof preferences>)

const PREFIX = 'slotwire-'

/** What the user chose in this browser, never the token: read at first, and kept when it changes. A browser may refuse storage: then nothing is kept. */
export function preferences(storage: () => Storage, languages: readonly string[]) {
  const kept = (name: string): string => orElse('', () => storage().getItem(PREFIX + name) ?? '')
  const isGerman = languages[0]?.startsWith('de') === true
  const chosen = {
    language: signal(oneOf(Object.keys(LANGUAGES) as Language[], kept('language'), isGerman ? 'de' : 'en')),
    theme: signal(oneOf(THEMES, kept('theme'), 'auto')),
    /** The name that others see while the user drives. */
    holder: signal(kept('holder')),
  }
  for (const [name, value] of Object.entries(chosen))
    effect(() => orElse(undefined, () => storage().setItem(PREFIX + name, value.value)))
  return chosen
}

function oneOf<Word extends string>(words: readonly Word[], word: string, otherwise: Word): Word {
  return words.find((each) => each === word) ?? otherwise
}
