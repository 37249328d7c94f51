import { type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { orElse } from '@slotwire/core'
import { shellWord } from '../terminal/shell-word.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { type Finding, failure } from './check.ts'
import { outputOf, reasonOf } from './host.ts'
import type { Account } from './subject.ts'

/** The user of this process. Without users (Windows), everything is allowed. */
export function ownAccount(): Account {
  const uid = process.geteuid?.() ?? 0
  const gids = [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])]
  // Containers run users without a name.
  return { name: orElse(String(uid), () => userInfo().username), uid, gids }
}

/** The account of that name. Rejects with `UsageError`. */
export async function accountOf(name: string): Promise<Account> {
  try {
    const [uid, gids] = await Promise.all(['-u', '-G'].map((option) => outputOf('id', option, '--', name)))
    return { name, uid: Number(uid), gids: (gids ?? '').trim().split(' ').map(Number) }
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().replaceAll('\n', ': ') : String(error)
    const remedy = `make it (useradd --system ${shellWord(name)}), or name another with --user <name>`
    throw new UsageError(`user ${name} cannot be looked up (${why}): ${remedy}`, { cause: error })
  }
}

/** Access rights: bits of one digit of a file's mode. */
export const READ = 4
export const READ_WRITE = 6
export const USE_FOLDER = 7
const ENTER = 1
type Rights = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** Whether mode, owner and group of a file allow access. It does not open the file: opening some files has effects. */
export function mayUse({ uid, gid, mode }: Rights, user: Account, access: number): boolean {
  const shift = uid === user.uid ? 6 : user.gids.includes(gid) ? 3 : 0
  return user.uid === 0 || ((mode >> shift) & access) === access
}

/** Why a user may not use an existing file or a folder around it. Undefined if allowed. */
export function accessFault(path: string, user: Account, access: number): Finding | undefined {
  const word = shellWord(path)
  try {
    const closed = foldersAround(path).find((folder) => !mayUse(statSync(folder), user, ENTER))
    if (closed !== undefined)
      return failure(`${user.name} may not enter ${closed}`, `Let the user in: chmod a+x ${shellWord(closed)}.`)
    const rights = statSync(path)
    if (mayUse(rights, user, access)) return undefined
    const give = `chown ${shellWord(user.name)} ${word} && chmod u+rw ${word}`
    const found = `${user.name} may not use ${path} (${formatRights(rights)})`
    return failure(found, `Change the owner until the next start: ${give}.`)
  } catch (error) {
    return failure(`${path} cannot be examined (${reasonOf(error)})`, `Examine it as root: stat ${word}.`)
  }
}

/** Outermost folder first. */
function foldersAround(path: string): readonly string[] {
  const around = dirname(resolve(path))
  return around === dirname(around) ? [around] : [...foldersAround(around), around]
}

/** `mode 0640, owner 0, group 20`. */
export function formatRights({ uid, gid, mode }: Rights): string {
  return `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`
}
