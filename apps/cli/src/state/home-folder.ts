import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { UsageError } from '../terminal/usage-error.ts'

/** The user's home folder: HOME, or the system's entry. Throws `UsageError` if neither is an absolute path. */
export function homeFolder(): string {
  const found = [homedir, () => userInfo().homedir].map(answerOf).find((folder) => folder !== undefined && isAbsolute(folder))
  if (found !== undefined) return found
  throw new UsageError(
    'no home folder for the state (HOME is not an absolute path, and the system has none): name a folder with --state <dir>',
  )
}

/** Undefined: the system does not have this user. */
function answerOf(ask: () => string): string | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
