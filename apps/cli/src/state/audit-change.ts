import { userInfo } from 'node:os'
import { FileAuditLog } from '@slotwire/gateway'
import type { CommandContext } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/hint-log.ts'

type ChangeContext = Pick<CommandContext, 'wallTime' | 'hint' | 'environment'>

/** Writes into the audit log of a state folder what a command did, and who called it. */
export function auditChange(context: ChangeContext, folder: string, action: string, what: object): void {
  const { wallTime, hint, environment } = context
  const user = systemUser(environment)
  new FileAuditLog({ folder, wallTime, log: hintLog(hint) }).add({
    who: 'local',
    action,
    what: { user, ...what },
    result: 'success',
  })
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
