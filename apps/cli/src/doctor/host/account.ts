import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { codeOf } from '@slotwire/core'
import { UsageError } from '../../terminal/usage-error.ts'

/** How long the system may take to look a user up: the names may be kept by another machine. */
const LOOK_UP_MS = 3000
const NAME = /^[a-z_][\w.-]*\$?$/i

/** A user as the kernel knows it. */
export interface Account {
  readonly name: string
  readonly uid: number
  /** All groups, the first one included. */
  readonly gids: readonly number[]
}

/** Who runs this process. On a system without users everything is allowed. */
export function ownAccount(): Account {
  const uid = process.geteuid?.() ?? 0
  const gids = [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])]
  return { name: ownName(uid), uid, gids: [...new Set(gids)] }
}

/** The account of that name. Rejects with `UsageError`. */
export async function accountOf(name: string, deadlineMs = LOOK_UP_MS): Promise<Account> {
  if (!NAME.test(name)) throw new UsageError(`${JSON.stringify(name)} is no name of a user: give one with --user <name>`)
  const [uid, gids] = await Promise.all([ask('-u', name, deadlineMs), ask('-G', name, deadlineMs)])
  return { name, uid: Number(uid), gids: gids.split(' ').map(Number) }
}

function ownName(uid: number): string {
  try {
    return userInfo().username
  } catch {
    // Containers run users without a name.
    return String(uid)
  }
}

async function ask(what: string, name: string, deadlineMs: number): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('id', [what, '--', name], { timeout: deadlineMs, killSignal: 'SIGKILL' })
    return stdout.trim()
  } catch (error) {
    throw new UsageError(notFound(error, name, deadlineMs), { cause: error })
  }
}

/** `id` ends with 1 where there is no such user; all else says nothing of the user. */
function notFound(error: unknown, name: string, deadlineMs: number): string {
  if (codeOf(error) === 'ENOENT') return 'no user can be looked up without the program id: install it (Debian: coreutils)'
  if (error instanceof Error && 'code' in error && error.code === 1)
    return `there is no user ${name} on this machine: make it (useradd --system ${name}), or name another with --user <name>`
  const why = error instanceof Error && 'killed' in error && error.killed === true ? `within ${deadlineMs / 1000} s` : 'now'
  return `user ${name} cannot be looked up ${why}: see what this machine asks for its users (id ${name}; grep passwd /etc/nsswitch.conf)`
}
