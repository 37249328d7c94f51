import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '@slotwire/core'
import { giveToOwnerOf } from './durable-file.ts'
import { identityOf, isAlive, type ProcessIdentity, parseIdentity } from './process-identity.ts'
import { restoreIfAbsent } from './restore-if-absent.ts'

/** Another user's process must be able to see whose a lock is. */
const READABLE_BY_ALL = 0o644

/** A lock that is held by this process, until `release` or the end of the process. */
export interface FileLock {
  release(): void
}

/** What came of asking for a lock: it is this process's, or `holder` is the number of the living process that has it. */
export type LockAttempt = { readonly lock: FileLock } | { readonly holder: number }

/** A lock that is there, and may be somebody's, but cannot be read. */
export class UnreadableLockError extends Error {
  override readonly name = 'UnreadableLockError'
}

/** Undefined for a file that is not there, or was never a lock. Throws `UnreadableLockError` for one that may be somebody's. */
function readHolder(path: string): ProcessIdentity | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new UnreadableLockError(`the lock ${path} cannot be read (${(error as Error).message})`, { cause: error })
  }
  return parseIdentity(text)
}

/** Number of the living process that has the lock; undefined: none. Throws `UnreadableLockError`. */
export function lockHolder(path: string): number | undefined {
  const holder = readHolder(path)
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined
}

/**
 * Takes a lock for this process, at once or not at all: a file that names its holder. What a process that was killed left behind is taken
 * over. Throws `UnreadableLockError`, or the system's error where no file can be made.
 */
export function tryLock(path: string, own: ProcessIdentity = identityOf(process.pid)): LockAttempt {
  const mine = `${path}.${own.pid}`
  // Written beside and linked into place: nobody ever reads half a lock, and only one of two can link. Whoever else may write in this
  // folder must not choose what is written over: hence a file that was not there.
  rmSync(mine, { force: true })
  try {
    writeNew(mine, `${JSON.stringify(own)}\n`)
    for (;;) {
      try {
        linkSync(mine, path)
        return { lock: { release: () => leave(path) } }
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const holder = readHolder(path)
      if (holder !== undefined && isAlive(holder)) return { holder: holder.pid }
      takeAway(path, mine)
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

/** In another user's folder root makes the file for that user. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', READABLE_BY_ALL)
  try {
    giveToOwnerOf(dirname(path), file)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** What cannot be removed, in a folder that has become read-only, is a dead process's lock soon: the next one takes it over. */
function leave(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}

/** Moves a dead process's lock aside; if it turns out to be a living one's, taken this very moment, it is put back. */
function takeAway(path: string, mine: string): void {
  const aside = `${mine}.stale`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readHolder(aside)
  try {
    if (moved !== undefined && isAlive(moved)) restoreIfAbsent(aside, path)
  } finally {
    rmSync(aside, { force: true })
  }
}
