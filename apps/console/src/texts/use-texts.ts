import { type ReadonlySignal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { en, type Texts } from './en.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

/** What components need of a language: its texts, and its numbers and dates. */
export interface Locale {
  readonly language: Language
  readonly texts: Texts
}

export const LocaleContext = createContext<ReadonlySignal<Locale>>(signal({ language: 'en', texts: en }))

/** The texts of the language in use. A component that calls it is rendered again when the user changes the language. */
export function useTexts(): Texts {
  return useContext(LocaleContext).value.texts
}

/** The language in use, for `Intl`. */
export function useLanguage(): Language {
  return useContext(LocaleContext).value.language
}

/** Loads the texts of a language: only English is part of the first page. */
export async function loadLocale(language: Language): Promise<Locale> {
  return { language, texts: language === 'de' ? (await import('./de.ts')).de : en }
}
