import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { DurableFile, makeFolder } from '@slotwire/storage'
import { withFileLock } from '../operator-error.ts'
import { changeSettings, type SettingChange } from './change-settings.ts'
import { SettingsError } from './problem.ts'
import { readSettingsFile, SETTINGS_FILE, SETTINGS_MODE } from './read-settings-file.ts'
import type { Settings } from './settings.ts'
import { keysThatDiffer } from './settings-file.ts'

export interface SettingsPlace {
  /** The state folder. */
  readonly folder: string
  readonly clock: Clock
}

/** Result of a change. */
export interface SettingsChanged {
  /** False: the file had this value already. */
  readonly written: boolean
  /** The settings in the file after the change. */
  readonly settings: Settings
  /** Keys whose value changed. */
  readonly changed: readonly string[]
}

/**
 * Changes `settings.yaml`, whether the service runs or not. Concurrent processes wait for each other. Rejects with `SettingsError`,
 * `OperatorError` or the system's error, and then leaves the file unchanged.
 */
export async function changeSettingsFile(
  { folder, clock }: SettingsPlace,
  changes: readonly SettingChange[],
): Promise<SettingsChanged> {
  makeFolder(folder)
  const file = new DurableFile(join(folder, SETTINGS_FILE), { mode: SETTINGS_MODE })
  return withFileLock(file.path, clock, () => {
    const stored = readSettingsFile(folder, SETTINGS_FILE)
    if (stored.text === undefined && stored.problems.length > 0) throw new SettingsError(stored.problems)
    const { text, before, after } = changeSettings(stored.text ?? '', changes, SETTINGS_FILE)
    const written = text !== (stored.text ?? '')
    if (written) file.write(text)
    return { written, settings: after.settings, changed: keysThatDiffer(before.settings, after.settings) }
  })
}
