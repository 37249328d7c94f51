import { userInfo } from 'node:os'
import type { AuditEntry } from './audit-log.ts'

/** The entry for a change that was typed on the device itself; `user` is the system's name of whoever did. */
export function localEntry(
  user: string,
  { action, what, result = 'success' }: Pick<AuditEntry, 'action' | 'what'> & Partial<Pick<AuditEntry, 'result'>>,
): AuditEntry {
  return { who: 'local', action, what: { user, ...what }, result }
}

/** The system's name of the user whose process this is; with `sudo`, of whoever called that. A user without a name has a number. */
export function systemUser(environment: NodeJS.ProcessEnv): string {
  const behind = environment['SUDO_USER']
  if (behind !== undefined && behind !== '') return behind
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
