import { type Clock, codeOf } from '@slotwire/core'
import { tryLock, UnusableFileError } from '@slotwire/storage'

/** An error that the operator of a device can fix: the message gives the problem and the remedy. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** The result of `work`; if it throws an `OperatorError`, throws one with the message that `wording` makes of it. */
export function reworded<Result>(work: () => Result, wording: (message: string) => string): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(wording(error.message), { cause: error })
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'use the account of the service, or root',
  EPERM: 'use the account of the service, or root',
  EISDIR: 'a folder has the place of this file: move the folder away',
}

/** The result of `work` with a file; an error of the system becomes an `OperatorError`: the file cannot be `read`, for example. */
export function asOperatorError<Result>(what: string, path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof UnusableFileError) throw new OperatorError(error.message, { cause: error })
    const code = codeOf(error)
    if (code === undefined) throw error
    throw new OperatorError(`${path} cannot be ${what} (${code}): ${REMEDIES[code] ?? 'look at the disk and its file system'}`, {
      cause: error,
    })
  }
}

/** Interval to try a lock again, and the longest wait. */
const POLL_MS = 10
const WAIT_MS = 10_000

/**
 * The result of `work` with the lock of a file, which other processes hold briefly. Rejects with its error, with `OperatorError`,
 * `UnreadableLockError` or the system's error.
 */
export async function withFileLock<Result>(file: string, clock: Clock, work: () => Result): Promise<Awaited<Result>> {
  const path = `${file}.lock`
  for (const deadline = clock.now() + WAIT_MS; ; await clock.sleep(POLL_MS)) {
    const attempt = tryLock(path)
    if ('holder' in attempt) {
      if (clock.now() < deadline) continue
      throw new OperatorError(`${path} is held by process ${attempt.holder}: wait for it, or end it`)
    }
    try {
      return await work()
    } finally {
      attempt.lock.release()
    }
  }
}
