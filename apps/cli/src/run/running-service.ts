import { readFileSync, statSync } from 'node:fs'
import { codeOf, orElse } from '@slotwire/core'
import { processUsing } from '../state/state-access.ts'
import type { CommandContext } from '../terminal/command-context.ts'

/**
 * Result of notifying the service that uses a state folder (SIGHUP). `not-allowed`: it runs as another user than the caller or, if the
 * caller is root, than the owner of the folder.
 */
export type NotifyResult = 'notified' | 'not-running' | 'not-allowed'

/** The result for people, after a change of settings or certificates. */
export const NOTIFY_TEXTS: Readonly<Record<NotifyResult, string>> = {
  notified: 'Notified the running service; its log has the result.',
  'not-running': 'No service uses this state folder now: the service applies the change at its next start.',
  'not-allowed':
    'Could not notify the service: it does not run as you, or not as the owner of this folder. Send it SIGHUP, or restart it.',
}

/** What commands that change settings or certificates need from this program. */
export interface NotifyContext extends CommandContext {
  /** Makes the service that uses this state folder read its files again. */
  readonly notify?: (state: string) => NotifyResult
}

/** What `notifyRunningService` needs from the process. */
interface SignalSender {
  readonly isRoot: boolean
  readonly kill: (pid: number, signal: NodeJS.Signals) => void
}

/** Makes the running service read its settings and certificates again. Throws `UsageError` for an unreadable lock. */
export function notifyRunningService(
  state: string,
  { isRoot, kill }: SignalSender = { isRoot: process.getuid?.() === 0, kill: (pid, signal) => process.kill(pid, signal) },
): NotifyResult {
  const pid = processUsing(state)
  if (pid === undefined) return 'not-running'
  // The owner of the folder can write any PID into the lock: root must not signal another user's process.
  if (isRoot && !belongsTo(pid, statSync(state).uid)) return 'not-allowed'
  try {
    kill(pid, 'SIGHUP')
    return 'notified'
  } catch (error) {
    if (codeOf(error) === 'EPERM') return 'not-allowed'
    if (codeOf(error) === 'ESRCH') return 'not-running'
    throw error
  }
}

/** Whether all user ids of a process are this user. False if unknown. */
function belongsTo(pid: number, user: number): boolean {
  const status = orElse('', () => readFileSync(`/proc/${pid}/status`, 'utf8'))
  const uids = /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t')
  return uids?.every((uid) => uid === String(user)) ?? false
}
