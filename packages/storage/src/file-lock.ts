import { closeSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '@slotwire/core'
import { giveToOwnerOf, readText, UnusableFileError } from './durable-file.ts'
import { identityOf, isAlive, type ProcessIdentity, parseIdentity } from './process-identity.ts'

/** Another user's process must be able to read who holds the lock. */
const READABLE_BY_ALL = 0o644

/** A lock that this process holds until `release` or its end. */
export interface FileLock {
  release(): void
}

/** The result of `tryLock`: the lock, or in `holder` the number of the living process that has it. */
export type LockAttempt = { readonly lock: FileLock } | { readonly holder: number }

/** A lock file that cannot be read, so its holder is unknown. */
export class UnreadableLockError extends Error {
  override readonly name = 'UnreadableLockError'
}

/** Undefined if the file is missing or is not a lock. Throws `UnreadableLockError` if it cannot be read. */
function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return parseIdentity(readText(path) ?? '')
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined
    throw new UnreadableLockError(`the lock ${path} cannot be read (${(error as Error).message})`, { cause: error })
  }
}

/** Number of the living process that holds the lock; undefined if it is free. Throws `UnreadableLockError`. */
export function lockHolder(path: string): number | undefined {
  const holder = readHolder(path)
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined
}

/**
 * Takes a lock for this process, without waiting: a file that names its holder. Replaces the lock of a process that has ended. Throws
 * `UnreadableLockError`, or the system's error if the file cannot be created.
 */
export function tryLock(path: string, own: ProcessIdentity = identityOf(process.pid)): LockAttempt {
  try {
    return take(path, own)
  } catch (error) {
    // Without space for a file of its own, this process must still see who has the lock.
    const holder = lockHolder(path)
    if (holder === undefined) throw error
    return { holder }
  }
}

function take(path: string, own: ProcessIdentity): LockAttempt {
  const mine = `${path}.${own.pid}`
  // Write a separate file and link it into place: readers never see half a lock, and only one of two processes can link. The file must be
  // new: another user of this folder must not choose what is overwritten.
  rmSync(mine, { force: true })
  try {
    writeNew(mine, `${JSON.stringify(own)}\n`)
    for (;;) {
      try {
        linkSync(mine, path)
        return { lock: { release: () => removeLock(path) } }
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const holder = readHolder(path)
      if (holder !== undefined && isAlive(holder)) return { holder: holder.pid }
      moveAside(path, mine)
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

/** In another user's folder root creates the file for that user. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', READABLE_BY_ALL)
  try {
    giveToOwnerOf(dirname(path), file)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** If the lock cannot be removed, in a folder that has become read-only, it soon belongs to an ended process and can be taken. */
function removeLock(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}

/** Moves the lock of an ended process aside. If it turns out to be a new one of a living process, it is restored. */
function moveAside(path: string, mine: string): void {
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

/** Moves a file back to its place, unless another process has created one there meanwhile. Throws the system's error. */
export function restoreIfAbsent(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
