import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { orElse } from '@slotwire/core'
import { UsageError } from '../terminal/usage-error.ts'

/** The user's home folder: HOME, or the system's entry. Throws `UsageError` if neither is an absolute path. */
export function homeFolder(): string {
  // The system may not have this user.
  const folders = [homedir, () => userInfo().homedir].map((ask) => orElse('', ask))
  const found = folders.find((folder) => isAbsolute(folder))
  if (found !== undefined) return found
  throw new UsageError(
    'no home folder for the state (HOME is not an absolute path, and the system has none): name a folder with --state <dir>',
  )
}
