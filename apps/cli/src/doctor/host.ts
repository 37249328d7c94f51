import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { type Clock, codeOf, messageOf, orElse } from '@slotwire/core'
import { withDeadline } from '@slotwire/driver'
import { shellWord } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { type Account, type Finding, failure } from './check.ts'

/** Longest run time of a system program. */
const PROGRAM_DEADLINE_MS = 2000
/** Longest time until files are read, on a busy machine. */
const READ_DEADLINE_MS = 5000
/** A kernel attribute fits into a page. */
const PAGE_CHARACTERS = 4096

/** Output of a system program. Rejects if it fails or is late. */
export async function outputOf(program: string, ...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { timeout: PROGRAM_DEADLINE_MS, killSignal: 'SIGKILL' })).stdout
}

/**
 * Whether these files block their reader: on a dead network file system, or in a driver that hangs. No signal may end such a reader, and
 * Node.js does not end before its threads: so another process reads the files first.
 */
export async function isBlocked(clock: Clock, ...paths: readonly string[]): Promise<boolean> {
  const reader = spawn('cat', ['--', ...paths], { stdio: 'ignore' })
  const ended = once(reader, 'close').catch(() => undefined)
  const isLate = await withDeadline(
    clock,
    READ_DEADLINE_MS,
    ended.then(() => false),
    'not read',
  ).catch(() => true)
  if (isLate) reader.kill('SIGKILL')
  reader.unref()
  return isLate
}

/** The start of a file, without waiting for a writer. Throws the system's error. */
export function readPage(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readFileSync(file, 'utf8').slice(0, PAGE_CHARACTERS)
  } finally {
    closeSync(file)
  }
}

/** Like `readPage`; empty if the file cannot be read. */
export const readPageOrNothing = (path: string): string => orElse('', () => readPage(path))

/** The user of this process. Without users (Windows), everything is allowed. */
export function ownAccount(): Account {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  // Containers run users without a name.
  return { name: orElse(String(uid), () => userInfo().username), uid, gids: [gid, ...(process.getgroups?.() ?? [])] }
}

/** The account of that name. Rejects with `UsageError`. */
export async function accountOf(name: string): Promise<Account> {
  try {
    const [uid, gids = ''] = await Promise.all(['-u', '-G'].map((option) => outputOf('id', option, '--', name)))
    return { name, uid: Number(uid), gids: gids.trim().split(' ').map(Number) }
  } catch (error) {
    const why = messageOf(error).trim().replaceAll('\n', ': ')
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

/** Why a user may not use an existing file or a folder around it. Undefined if allowed. The path is absolute. */
export function accessFault(path: string, user: Account, access: number): Finding | undefined {
  const [name, word] = [user.name, shellWord(path)]
  try {
    const closed = foldersAround(path).find((folder) => !mayUse(statSync(folder), user, ENTER))
    if (closed !== undefined)
      return failure(`${name} may not enter ${closed}`, `Let the user in: chmod a+x ${shellWord(closed)}.`)
    const rights = statSync(path)
    if (mayUse(rights, user, access)) return undefined
    const remedy = `Change the owner until the next start: chown ${shellWord(name)} ${word} && chmod u+rw ${word}.`
    return failure(`${name} may not use ${path} (${formatRights(rights)})`, remedy)
  } catch (error) {
    return failure(`${path} cannot be examined (${codeOf(error) ?? messageOf(error)})`, `Examine it as root: stat ${word}.`)
  }
}

/** Outermost folder first. */
function foldersAround(path: string): readonly string[] {
  const around = dirname(path)
  return around === dirname(around) ? [around] : [...foldersAround(around), around]
}

/** `mode 0640, owner 0, group 20`. */
export const formatRights = ({ uid, gid, mode }: Rights): string =>
  `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`
