import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Account } from './account.ts'
import { shellWord } from './files.ts'

/** What is to be done with a file: the bits of one digit of its mode. */
export const READ = 4
export const WRITE = 2
export const ENTER = 1

/** Of a file's owner, group and mode. */
export interface Rights {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/**
 * Whether the mode of a file allows it to a user: told from mode, owner and groups alone, for opening some files has effects. Root may
 * everything.
 */
export function mayUse({ uid, gid, mode }: Rights, user: Account, wanted: number): boolean {
  if (user.uid === 0) return true
  const shift = uid === user.uid ? 6 : user.gids.includes(gid) ? 3 : 0
  return ((mode >> shift) & wanted) === wanted
}

/**
 * The outermost folder around `path` that keeps a user out; undefined: none does. Where links lead elsewhere, of the folders around what they
 * lead to as well.
 */
export async function closedFolder(path: string, user: Account): Promise<string | undefined> {
  const way = resolve(path)
  const real = await realpath(way).catch(() => way)
  for (const folder of [...foldersAround(way), ...(real === way ? [] : foldersAround(real))]) {
    const rights = await stat(folder).catch(() => undefined)
    if (rights !== undefined && !mayUse(rights, user, ENTER)) return folder
  }
  return undefined
}

/** From the outermost on. */
function foldersAround(path: string): readonly string[] {
  const around = dirname(path)
  return around === path ? [] : [...foldersAround(around), around]
}

/** The command that gives a file to a user. */
export function giving(path: string, user: Account, rights: 'r' | 'rw'): string {
  const word = shellWord(path)
  return `chown ${shellWord(user.name)} ${word} && chmod u+${rights} ${word}`
}

/** `0640, owner 0, group 20`. */
export function formatRights({ uid, gid, mode }: Rights): string {
  return `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`
}
