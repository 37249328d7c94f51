import type { Clock } from '@slotwire/core'
import { type FileLock, tryLock } from '@slotwire/storage'
import { OperatorError } from './operator-error.ts'

/** How often a process looks whether another one has finished, and how long it waits for that. */
const POLL_MS = 10
const WAIT_MS = 10_000

/**
 * Takes a lock that other processes hold for a moment at a time. Rejects with `OperatorError`, with `UnreadableLockError`, or with the
 * system's error where no file can be made.
 */
export async function waitForLock(path: string, clock: Clock): Promise<FileLock> {
  for (const deadline = clock.now() + WAIT_MS; ; await clock.sleep(POLL_MS)) {
    const attempt = tryLock(path)
    if ('lock' in attempt) return attempt.lock
    if (clock.now() >= deadline) throw new OperatorError(`${path} is held by process ${attempt.holder}: wait for it, or end it`)
  }
}
