import { processUsing } from './state-lock.ts'

/**
 * What came of telling the service that uses a state folder to look at it again (SIGHUP): it was told; none runs; it runs, but belongs to
 * another user.
 */
export type Told = 'told' | 'not-running' | 'not-allowed'

/** Has the running service read its settings and certificates anew. Throws `UsageError` for a lock that cannot be read. */
export function tellRunningService(
  state: string,
  kill: (pid: number, signal: NodeJS.Signals) => void = (pid, signal) => process.kill(pid, signal),
): Told {
  const pid = processUsing(state)
  if (pid === undefined) return 'not-running'
  try {
    kill(pid, 'SIGHUP')
    return 'told'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return 'not-allowed'
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'not-running'
    throw error
  }
}
