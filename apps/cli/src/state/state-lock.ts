import { join } from 'node:path'
import { type FileLock, lockHolder, type ProcessIdentity, tryLock, UnreadableLockError } from '@slotwire/storage'
import { UsageError } from '../terminal/usage-error.ts'
import { withWriteErrors } from './state-folder.ts'

/** The living process that uses the folder; undefined: none. Throws `UsageError` for an unreadable lock. */
export function processUsing(state: string): number | undefined {
  return withLockErrors(() => lockHolder(pathOf(state)))
}

/**
 * Locks the folder for this process, until release or its end. Replaces the lock of a killed process. Throws `UsageError` if a living
 * process holds the lock, or if the folder is not writable: the disk may be full.
 */
export function lockState(state: string, own?: ProcessIdentity): FileLock {
  const attempt = withLockErrors(() => withWriteErrors(state, () => tryLock(pathOf(state), own)))
  if ('lock' in attempt) return attempt.lock
  throw new UsageError(
    `the state folder ${state} is in use by process ${attempt.holder}: stop it, or choose another with --state <dir>`,
  )
}

function pathOf(state: string): string {
  return join(state, 'lock')
}

function withLockErrors<Result>(look: () => Result): Result {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof UnreadableLockError)) throw error
    throw new UsageError(`${error.message}: choose another folder with --state <dir>`, { cause: error })
  }
}
