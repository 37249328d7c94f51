import type { Clock } from '@slotwire/core'
import { type FileLock, tryLock } from '@slotwire/storage'

/** How often a process looks whether another one has finished, and how long it waits for that. */
const POLL_MS = 10
const WAIT_MS = 10_000

/** A lock that another process does not give back. */
export class LockBusyError extends Error {
  override readonly name = 'LockBusyError'
}

/**
 * Takes a lock that other processes hold for a moment at a time. Rejects with `LockBusyError`, with `UnreadableLockError`, or with the
 * system's error where no file can be made.
 */
export async function waitForLock(path: string, clock: Clock): Promise<FileLock> {
  for (const deadline = clock.now() + WAIT_MS; ; await clock.sleep(POLL_MS)) {
    const attempt = tryLock(path)
    if ('lock' in attempt) return attempt.lock
    if (clock.now() >= deadline) throw new LockBusyError(`${path} is held by process ${attempt.holder}: wait for it, or end it`)
  }
}
