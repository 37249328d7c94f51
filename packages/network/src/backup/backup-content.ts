import { isRecord, orElse } from '@slotwire/core'
import { isMachineId } from '../machine-id.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/problem.ts'
import { parseSettingsFile, SETTINGS_FILE } from '../settings/read-settings-file.ts'
import { parseTokens } from '../tokens/token-document.ts'
import type { BackupFile } from './backup-document.ts'

/** Throws `SettingsError` or `OperatorError` for a file that a service could not start with. */
export function checkContent({ path, text }: BackupFile): void {
  if (path.startsWith('twin/') && !isRecord(orElse<unknown>(undefined, () => JSON.parse(text))))
    throw new OperatorError(`${path} is damaged: it holds one JSON object`)
  switch (path) {
    case SETTINGS_FILE: {
      const { problems } = parseSettingsFile(Buffer.from(text), SETTINGS_FILE)
      if (problems.length > 0) throw new SettingsError(problems)
      return
    }
    case 'machine-id':
      if (!isMachineId(text)) throw new OperatorError('machine-id is damaged: it holds 32 digits 0-9 and a-f')
      return
    case 'tokens.json':
      reworded(
        () => parseTokens(text),
        (fault) => `tokens.json is damaged, ${fault}`,
      )
  }
}
