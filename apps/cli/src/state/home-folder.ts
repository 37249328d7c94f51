import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { UsageError } from '../terminal/usage-error.ts'

/** The folder of whoever runs this process: what HOME says, else what the system knows. Throws `UsageError` where neither is a whole path. */
export function homeFolder(): string {
  const found = [homedir, () => userInfo().homedir].map(answerOf).find((folder) => folder !== undefined && isAbsolute(folder))
  if (found !== undefined) return found
  throw new UsageError(
    'there is no folder of this user for the state (HOME is not set to a whole path, and the system has none): name one with --state <dir>',
  )
}

/** Undefined: the system does not know this user. */
function answerOf(ask: () => string): string | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
