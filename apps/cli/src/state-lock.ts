import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './usage-error.ts'

/** What tells one process from every other, also after its number was given away again or the machine was started anew. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process in the kernel's ticks since `boot`; empty where the system does not tell. */
  readonly started: string
  readonly boot: string
}

/** Another user's process must be able to see whose the folder is. */
const READABLE_BY_ALL = 0o644
/** Field of `/proc/<pid>/stat` that holds the start time, counted behind the name's closing bracket. */
const START_TIME_FIELD = 19
/** States, in the first of these fields, of a process that has ended and waits for its parent to notice. */
const ENDED = new Set(['Z', 'X'])

/** Empty for a process that has ended, and where the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ENDED.has(fields[0] ?? '') ? '' : (fields[START_TIME_FIELD] ?? '')
  } catch {
    return ''
  }
}

function bootIdentifier(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** Identity of a process of this machine. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid), boot: bootIdentifier() }
}

function isAlive(holder: ProcessIdentity): boolean {
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = identityOf(holder.pid)
  return now.started === holder.started && now.boot === holder.boot
}

/** Undefined for a file that is not there, or was never a lock. Throws `UsageError` for one that may be somebody's. */
function readHolder(path: string): ProcessIdentity | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const reason = (error as Error).message
    throw new UsageError(`the lock ${path} cannot be read (${reason}): choose another folder with --state <dir>`, {
      cause: error,
    })
  }
  return parseIdentity(text)
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, started, boot } = JSON.parse(text) as Partial<ProcessIdentity>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof boot !== 'string') return undefined
    return { pid, started, boot }
  } catch {
    return undefined
  }
}

/** The living process that has the folder; undefined: none. Throws `UsageError` for a lock that cannot be read. */
export function processUsing(state: string): number | undefined {
  const holder = readHolder(join(state, 'lock'))
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined
}

/** A state folder taken by this process, until `release` or the end of the process. */
export interface StateLock {
  release(): void
}

/**
 * Takes the folder for this process. What a process that was killed left behind is taken over. Throws `UsageError` when a living
 * process has it.
 */
export function lockState(state: string, own: ProcessIdentity = identityOf(process.pid)): StateLock {
  const path = join(state, 'lock')
  const mine = `${path}.${own.pid}`
  // Written beside and linked into place: nobody ever reads half a lock, and only one of two can link.
  writeFileSync(mine, `${JSON.stringify(own)}\n`, { mode: READABLE_BY_ALL })
  try {
    for (;;) {
      try {
        linkSync(mine, path)
        return { release: () => leave(path) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const holder = readHolder(path)
      if (holder !== undefined && isAlive(holder)) {
        throw new UsageError(
          `the state folder ${state} is in use by process ${holder.pid}: stop it, or choose another with --state <dir>`,
        )
      }
      takeAway(path, mine)
    }
  } finally {
    rmSync(mine, { force: true })
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const moved = readHolder(aside)
  try {
    if (moved !== undefined && isAlive(moved)) linkSync(aside, path)
  } finally {
    rmSync(aside, { force: true })
  }
}
