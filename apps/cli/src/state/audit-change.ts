import { userInfo } from 'node:os'
import { orElse } from '@slotwire/core'
import { FileAuditLog } from '@slotwire/network'
import type { CommandContext } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/standard-log.ts'

type ChangeContext = Pick<CommandContext, 'wallTime' | 'hint' | 'environment'>

/** Writes a command's change and its caller into the audit log of a state folder. */
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

/** The name of the user who runs this process, or who called `sudo`. The numeric id for a user without a name. */
export function systemUser(environment: NodeJS.ProcessEnv): string {
  const behind = environment['SUDO_USER']
  if (behind !== undefined && behind !== '') return behind
  return orElse(String(process.getuid?.() ?? 'unknown'), () => userInfo().username)
}
