import { isMachineId } from '../machine-id.ts'
import { SettingsError } from '../settings/problem.ts'
import { parseSettingsFile, SETTINGS_FILE } from '../settings/read-settings-file.ts'
import { parseTokens } from '../tokens/token-document.ts'
import { TokenError } from '../tokens/token-error.ts'
import type { BackupFile } from './backup-document.ts'
import { BackupError } from './backup-error.ts'

/** The text of a file in a backup. */
export function textOf({ content }: Pick<BackupFile, 'content'>): string {
  return Buffer.from(content).toString('utf8')
}

/** Throws `SettingsError` or `BackupError` for a file that a service could not start with. */
export function checkContent(file: BackupFile, services: readonly string[]): void {
  switch (file.path) {
    case SETTINGS_FILE: {
      const { problems } = parseSettingsFile(file.content, SETTINGS_FILE, services)
      if (problems.length > 0) throw new SettingsError(problems)
      return
    }
    case 'machine-id':
      if (!isMachineId(textOf(file))) throw new BackupError('machine-id is damaged: it holds 32 digits 0-9 and a-f')
      return
    case 'tokens.json':
      checkTokens(textOf(file))
  }
}

function checkTokens(text: string): void {
  try {
    parseTokens(text)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new BackupError(`tokens.json is damaged, ${error.message}`, { cause: error })
  }
}
