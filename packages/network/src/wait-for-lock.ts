import type { Clock } from '@slotwire/core'
import { type FileLock, tryLock } from '@slotwire/storage'
import { OperatorError } from './operator-error.ts'

/** Interval to try a lock again, and the longest wait. */
const POLL_MS = 10
const WAIT_MS = 10_000

/** Takes a lock that other processes hold briefly. Rejects with `OperatorError`, `UnreadableLockError` or the system's error. */
export async function waitForLock(path: string, clock: Clock): Promise<FileLock> {
  for (const deadline = clock.now() + WAIT_MS; ; await clock.sleep(POLL_MS)) {
    const attempt = tryLock(path)
    if ('lock' in attempt) return attempt.lock
    if (clock.now() >= deadline) throw new OperatorError(`${path} is held by process ${attempt.holder}: wait for it, or end it`)
  }
}
