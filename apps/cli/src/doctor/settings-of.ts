import { SERVICE_NAMES } from '@slotwire/device/names'
import { DEFAULT_SETTINGS, LAST_GOOD_FILE, readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/gateway'
import type { Installation } from './installation.ts'

/** What is in force after the next start: options before what is stored, as far as that can be read; a broken file does not count. */
export function settingsOf({ state, overrides }: Pick<Installation, 'state' | 'overrides'>): Settings {
  const files = [SETTINGS_FILE, LAST_GOOD_FILE].map((file) => readSettingsFile(state, file, SERVICE_NAMES))
  const stored = files.find(({ problems }) => problems.length === 0)?.settings ?? DEFAULT_SETTINGS
  return { ...stored, ...overrides }
}
