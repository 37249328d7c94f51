import { createContext } from 'preact'
import type { Preferences } from './preferences.ts'

/** What the user chose. There is no default: the app gives it. */
export const PreferencesContext = createContext<Preferences>(undefined as unknown as Preferences)
