import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Account } from './account.ts'

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

/** The outermost folder around `path` that keeps a user out; undefined: none does. */
export async function closedFolder(path: string, user: Account): Promise<string | undefined> {
  const around = dirname(resolve(path))
  const outer = around === path ? undefined : await closedFolder(around, user)
  if (outer !== undefined) return outer
  const rights = await stat(around).catch(() => undefined)
  return rights === undefined || mayUse(rights, user, ENTER) ? undefined : around
}

/** `0640, owner 0, group 20`. */
export function formatRights({ uid, gid, mode }: Rights): string {
  return `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}, group ${gid}`
}
