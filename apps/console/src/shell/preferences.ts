import { effect, type Signal, signal } from '@preact/signals'
import { orElse } from '@slotwire/core'
import { createContext } from 'preact'
import { LANGUAGES, type Language } from '../texts/use-texts.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** What the user chose in this browser. Never the token. */
export interface Preferences {
  readonly language: Signal<Language>
  readonly theme: Signal<Theme>
  /** The name that others see while the user drives. */
  readonly holder: Signal<string>
}

/** Without a default: `main.tsx` provides it. */
export const PreferencesContext = createContext<Preferences>(undefined as unknown as Preferences)

const PREFIX = 'slotwire-'

/** Reads what the user chose before, and keeps changes. A browser may refuse storage: then nothing is kept. */
export function preferences(storage: () => Storage, languages: readonly string[]): Preferences {
  const kept = (name: string): string => orElse('', () => storage().getItem(PREFIX + name) ?? '')
  const isGerman = languages[0]?.startsWith('de') === true
  const chosen = {
    language: signal(oneOf(Object.keys(LANGUAGES) as Language[], kept('language'), isGerman ? 'de' : 'en')),
    theme: signal(oneOf(THEMES, kept('theme'), 'auto')),
    holder: signal(kept('holder')),
  }
  for (const [name, value] of Object.entries(chosen))
    effect(() => orElse(undefined, () => storage().setItem(PREFIX + name, value.value)))
  return chosen
}

function oneOf<Word extends string>(words: readonly Word[], word: string, otherwise: Word): Word {
  return words.find((each) => each === word) ?? otherwise
}
