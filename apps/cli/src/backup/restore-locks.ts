import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { waitForLock } from '@slotwire/gateway'
import type { FileLock } from '@slotwire/storage'
import { lockState } from '../state/state-lock.ts'

/** Files that commands change while no service runs: each has a lock of its own. */
const CHANGED_BY_COMMANDS = ['tokens.json', 'settings.yaml']

/**
 * Does what replaces the files of a state folder, while no service uses it and no command changes one of them. Rejects with `UsageError` when
 * a service runs, with `LockBusyError`, or with what `work` throws.
 */
export async function withFolderLocked<Result>(folder: string, clock: Clock, work: () => Result): Promise<Result> {
  const locks: FileLock[] = [lockState(folder)]
  try {
    for (const name of CHANGED_BY_COMMANDS) locks.push(await waitForLock(join(folder, `${name}.lock`), clock))
    return work()
  } finally {
    for (const lock of locks.reverse()) lock.release()
  }
}
