import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '@slotwire/core'
import { processUsing } from '../state/state-lock.ts'
import type { CommandContext } from '../terminal/command-context.ts'

/**
 * What came of telling the service that uses a state folder to look at it again (SIGHUP): it was told; none runs; it runs, but belongs to
 * another user than who asks, or, where root asks, than the owner of the folder.
 */
export type Told = 'told' | 'not-running' | 'not-allowed'

/** The same for people, after a change of settings or certificates. */
export const TOLD_TEXTS: Readonly<Record<Told, string>> = {
  told: 'The running service was told; its log says what came of it.',
  'not-running': 'No service uses this state folder now: the next one starts with this.',
  'not-allowed':
    'The service does not run as the user of this folder, or not as you, and could not be told: send it SIGHUP, or restart it.',
}

/** What commands that change settings or certificates have of their surroundings. */
export interface TellingContext extends CommandContext {
  /** Has the service that uses this state folder read its files again. */
  readonly tell?: (state: string) => Told
}

/** What is needed of the process that tells. */
interface Teller {
  readonly isRoot: boolean
  readonly kill: (pid: number, signal: NodeJS.Signals) => void
}

/** Has the running service read its settings and certificates anew. Throws `UsageError` for a lock that cannot be read. */
export function tellRunningService(
  state: string,
  { isRoot, kill }: Teller = { isRoot: process.getuid?.() === 0, kill: (pid, signal) => process.kill(pid, signal) },
): Told {
  const pid = processUsing(state)
  if (pid === undefined) return 'not-running'
  // The owner of the folder can write any number into the lock: root must not end a process that this user could not end.
  if (isRoot && !belongsTo(pid, statSync(state).uid)) return 'not-allowed'
  try {
    kill(pid, 'SIGHUP')
    return 'told'
  } catch (error) {
    if (codeOf(error) === 'EPERM') return 'not-allowed'
    if (codeOf(error) === 'ESRCH') return 'not-running'
    throw error
  }
}

/** Whether a process runs as this user in every respect; what is not known does not. */
function belongsTo(pid: number, user: number): boolean {
  try {
    const uids = /^Uid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split('\t')
    return uids?.every((uid) => uid === String(user)) ?? false
  } catch {
    return false
  }
}
