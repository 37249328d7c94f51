import { codeOf } from '@slotwire/core'
import { BackupError, formatProblem, LockBusyError, SettingsError, type SettingsProblem } from '@slotwire/gateway'
import { UnreadableLockError } from '@slotwire/storage'
import { UsageError } from '../terminal/usage-error.ts'

/** Problems as the answer to a command: those of the file with their lines, those of what was typed by their keys. */
export function formatProblems(problems: readonly SettingsProblem[]): string {
  const lines = problems.map((problem) =>
    problem.line === undefined && problem.key !== undefined ? `${problem.key}: ${problem.message}` : formatProblem(problem),
  )
  return lines.length === 1 ? lines.join() : lines.map((line) => `\n  ${line}`).join('')
}

/** What whoever typed a command can mend, as `UsageError`; anything else as it is. */
export function asUsageError(error: unknown): unknown {
  if (error instanceof SettingsError) return new UsageError(formatProblems(error.problems), { cause: error })
  if (error instanceof LockBusyError || error instanceof BackupError) return new UsageError(error.message, { cause: error })
  if (error instanceof UnreadableLockError || (error instanceof Error && codeOf(error) !== undefined)) {
    const remedy = 'run this as the user of the service, or name its state folder with --state <dir>'
    return new UsageError(`${error.message}: ${remedy}`, { cause: error })
  }
  return error
}

/** Does the work of a command; what whoever typed it can mend comes as `UsageError`. */
export async function mendably(work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw asUsageError(error)
  }
}
