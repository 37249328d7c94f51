import { DEFAULT_SETTINGS, LAST_GOOD_FILE, readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/gateway'
import { SERVICE_NAMES } from '@slotwire/modules/device-service'

/** What is in force after the next start, as far as it can be read: a broken file does not count. */
export function storedSettings(state: string): Settings {
  const files = [SETTINGS_FILE, LAST_GOOD_FILE].map((file) => readSettingsFile(state, file, SERVICE_NAMES))
  return files.find(({ problems }) => problems.length === 0)?.settings ?? DEFAULT_SETTINGS
}
