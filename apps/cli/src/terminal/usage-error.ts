import { codeOf } from '@slotwire/core'
import { formatProblem, OperatorError, SettingsError, type SettingsProblem } from '@slotwire/network'
import { UnreadableLockError, UnusableFileError } from '@slotwire/storage'

/** Exit code for errors that the user can fix. */
export const USAGE_EXIT_CODE = 2

/** An error that the user can fix: printed as one line, exit code `USAGE_EXIT_CODE`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Formats problems: those in the file with their lines, those of the command line with their keys. */
function formatProblems(problems: readonly SettingsProblem[]): string {
  const lines = problems.map((problem) =>
    problem.line === undefined && problem.key !== undefined ? problem.message : formatProblem(problem),
  )
  return lines.length === 1 ? lines.join() : lines.map((line) => `\n  ${line}`).join('')
}

/** What the user can do, by the system's code. */
export const REMEDIES: Readonly<Record<string, string>> = {
  EROFS: 'its disk is read-only: make it writable, or name another state folder with --state <dir>',
  ENOSPC: 'free some space there, or name another state folder with --state <dir>',
  EDQUOT: 'free some space there, or name another state folder with --state <dir>',
  EBUSY: 'this file is mounted by itself: mount its folder instead',
  EISDIR: 'a folder has the place of this file: move the folder away',
}
const OTHER_REMEDY = 'run this as the user of the service, or name its state folder with --state <dir>'

/** An error that the user can fix as `UsageError`; any other error unchanged. */
export function asUsageError(error: unknown): unknown {
  if (error instanceof SettingsError) return new UsageError(formatProblems(error.problems), { cause: error })
  if (error instanceof OperatorError || error instanceof UnusableFileError) return new UsageError(error.message, { cause: error })
  if (error instanceof UnreadableLockError || (error instanceof Error && codeOf(error) !== undefined)) {
    return new UsageError(`${error.message}: ${REMEDIES[codeOf(error) ?? ''] ?? OTHER_REMEDY}`, { cause: error })
  }
  return error
}

/** Runs a command's work, and rejects with `asUsageError`. */
export async function withUsageErrors(work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw asUsageError(error)
  }
}
