import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, isRecord, orElse } from '@slotwire/core'
import { giveToOwnerOf, isRunning, readBytes, UnusableFileError } from './durable-file.ts'

/** Another user's process must be able to read who holds the lock. */
const READABLE_BY_ALL = 0o644

/** A lock that this process holds until `release` or its end. */
export interface FileLock {
  readonly release: () => void
}

/** The result of `tryLock`: the lock, or in `holder` the number of the living process that has it. */
type LockAttempt = { readonly lock: FileLock } | { readonly holder: number }

/** A lock file that cannot be read, so its holder is unknown. */
export class UnreadableLockError extends Error {
  override readonly name = 'UnreadableLockError'
}

/** Undefined if the file is missing or is not a lock. Throws `UnreadableLockError` if it cannot be read. */
function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return parseIdentity(readBytes(path)?.toString() ?? '')
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

/** Identifies a process uniquely, even after its number was reused or the machine restarted. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process in the kernel's ticks since `boot`; empty if the system does not show it. */
  readonly started: string
  readonly boot: string
}

/** Field of `/proc/<pid>/stat` with the start time, counted after the closing bracket of the name. */
const START_TIME_FIELD = 19
/** Values of the first of these fields for a process that has ended and waits for its parent. */
const ENDED = new Set(['Z', 'X'])

/** Empty for a process that has ended, and if the system does not show it. */
function startOf(pid: number): string {
  const stat = orElse('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ENDED.has(fields[0] ?? '') ? '' : (fields[START_TIME_FIELD] ?? '')
}

const bootIdentifier = (): string => orElse('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

/** Identity of a process on this machine. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid), boot: bootIdentifier() }
}

/** Whether this process still runs and has the number. */
function isAlive(identity: ProcessIdentity): boolean {
  if (!isRunning(identity.pid)) return false
  const now = identityOf(identity.pid)
  return now.started === identity.started && now.boot === identity.boot
}

/** Parses the JSON of an identity; undefined for any other text. */
function parseIdentity(text: string): ProcessIdentity | undefined {
  const identity = orElse<unknown>(undefined, () => JSON.parse(text))
  const { pid, started, boot } = isRecord(identity) ? identity : {}
  if (typeof pid !== 'number' || typeof started !== 'string' || typeof boot !== 'string') return undefined
  return { pid, started, boot }
}
