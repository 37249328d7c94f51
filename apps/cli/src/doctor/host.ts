import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { type Clock, messageOf, orElse, withDeadline } from '@slotwire/core'
import { attributeValue, DESCRIPTOR_ATTRIBUTES } from '@slotwire/driver/kernel'
import { shellWord } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** A user, as the kernel identifies it. */
export type Account = { readonly name: string; readonly uid: number; readonly gids: readonly number[] }

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

/** `LISTEN 0 511 [::1]:8080 [::]:* users:(("node",pid=12,fd=20))` */
const SOCKET = /^LISTEN\s+\d+\s+\d+\s+\[?(\S+?)\]?:(\d+)\s+\S+(?:.*?\("(.*?)",pid=(\d+))?/gm
/** The listening TCP sockets on this machine, with their processes if this user may see them. Undefined: `ss` is not installed. */
export async function listeningSockets() {
  const ss = outputOf('ss', '--no-header', '--listening', '--tcp', '--numeric', '--processes')
  const sockets = (await ss.catch(() => undefined))?.matchAll(SOCKET)
  return sockets && [...sockets].map(([, address = '', port, command, pid]) => ({ address, port: Number(port), command, pid }))
}

/**
 * Whether these files block their reader: on a dead network file system, or in a driver that hangs. No signal may end such a reader, and
 * Node.js does not end before its threads: so another process reads the files first.
 */
export async function isBlocked(clock: Clock, ...paths: readonly string[]): Promise<boolean> {
  const reader = spawn('cat', ['--', ...paths], { stdio: 'ignore' })
  reader.unref()
  const ended = once(reader, 'close').catch(() => undefined)
  const isLate = withDeadline(clock, READ_DEADLINE_MS, ended, 'not read').then(() => false)
  return isLate.catch(() => reader.kill('SIGKILL') || true)
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
/** The sorted names in a folder that fit; none if it cannot be read. */
export const namesIn = (folder: string, fits = /./): readonly string[] =>
  orElse([], () => readdirSync(folder).sort()).filter((name) => fits.test(name))

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
export const [READ, READ_WRITE, USE_FOLDER] = [4, 6, 7]
export const ENTER = 1
type Rights = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** Whether mode, owner and group of a file allow access. It does not open the file: opening some files has effects. */
export function mayUse({ uid, gid, mode }: Rights, user: Account, access: number): boolean {
  const shift = uid === user.uid ? 6 : user.gids.includes(gid) ? 3 : 0
  return user.uid === 0 || ((mode >> shift) & access) === access
}

/** `mode 0640, owner 0, group 20`. */
export const formatRights = ({ uid, gid, mode }: Rights): string =>
  `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`

type Roots = Readonly<Record<'sys' | 'dev', string>>
/** The folder in which the kernel lists slots. */
export const slotsFolder = ({ sys }: Pick<Roots, 'sys'>): string => `${sys}/class/sdbp`

/** The slots that hold modules, in order. A slot's `file` is never opened here: closing it would stop the module. */
export function occupiedSlots(roots: Roots, clock: Clock) {
  const slots = namesIn(slotsFolder(roots), /^slot[0-7]$/).map(async (entry) => {
    const folder = `${slotsFolder(roots)}/${entry}`
    const number = Number(entry.slice(-1))
    const hangs = await isBlocked(clock, ...DESCRIPTOR_ATTRIBUTES.map((attribute) => `${folder}/${attribute}`))
    // The module's `vendor_product_id`; empty if unreadable.
    const type = hangs ? '' : attributeValue(readPageOrNothing(`${folder}/vendor_product_id`))
    return { number, name: `slot ${number}`, folder, file: `${roots.dev}/${entry}`, type, isBlocked: hangs }
  })
  return Promise.all(slots)
}

/** A slot with a module in it. */
export type OccupiedSlot = Awaited<ReturnType<typeof occupiedSlots>>[number]
