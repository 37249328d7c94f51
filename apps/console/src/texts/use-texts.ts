import { type ReadonlySignal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { en, type Texts } from './en.ts'
import type { Language } from './language.ts'

export const TextsContext = createContext<ReadonlySignal<Texts>>(signal(en))

/** The texts of the language in use. A component that calls it is rendered again when the user changes the language. */
export function useTexts(): Texts {
  return useContext(TextsContext).value
}

/** Loads the texts of a language: only English is part of the first page. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === 'de' ? (await import('./de.ts')).de : en
}
