import { existsSync } from 'node:fs'
import { isoTime, type WallTime } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { SettingsError } from '../settings/problem.ts'
import { LAST_GOOD_FILE, parseSettingsFile, SETTINGS_FILE } from '../settings/read-settings-file.ts'
import { checkContent } from './backup-content.ts'
import type { Backup, BackupFile } from './backup-document.ts'
import { collectState, readStateFile } from './collect-state.ts'
import { rememberedNames } from './remembered-names.ts'
import { assertNotRestoring } from './restore-stage.ts'

export interface BackupOptions {
  /** The state folder. */
  readonly folder: string
  /** With machine id and authority. */
  readonly identity: boolean
  /** Version of Slotwire. */
  readonly slotwire: string
  readonly wallTime: WallTime
}

/**
 * Makes a backup of a device's state, whether its service runs or not. If the settings are broken, the last good ones are saved. Throws
 * `OperatorError` for a state that could not be restored, `SettingsError`, or the system's error.
 */
export function makeBackup({ folder, identity, slotwire, wallTime }: BackupOptions): Backup {
  if (!existsSync(folder)) throw new OperatorError(`there is no state folder ${folder}: name it with --state <dir>`)
  assertNotRestoring(folder)
  const files = collectState(folder, identity).flatMap((file) => savedFile(file, folder))
  for (const file of files) checkContent(file)
  if (identity && !files.some(({ path }) => path === 'machine-id')) {
    throw new OperatorError(`there is no identity in ${folder} yet: the service makes one at its first start`)
  }
  return { made: isoTime(wallTime()), slotwire, identity, files }
}

/** The file as it goes into the backup; empty if it holds nothing to keep. */
function savedFile(file: BackupFile, folder: string): readonly BackupFile[] {
  if (file.path === SETTINGS_FILE) return [goodSettings(file, folder)]
  if (file.path !== 'discovery.json') return [file]
  const names = rememberedNames(file.text)
  return names === undefined ? [] : [{ ...file, text: names }]
}

function goodSettings(file: BackupFile, folder: string): BackupFile {
  const { problems } = parseSettingsFile(Buffer.from(file.text), SETTINGS_FILE)
  if (problems.length === 0) return file
  const lastGood = readStateFile(folder, LAST_GOOD_FILE)
  if (lastGood === undefined) throw new SettingsError(problems)
  return { ...file, text: lastGood.content.toString() }
}
