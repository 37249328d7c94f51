import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, orElse } from '@slotwire/core'

/** The next version until it is complete. One name, or one for each process: a kill leaves one such file at most. */
const NEXT = '.next'
/** Saved data is readable by its owner only. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Far more than any file has. */
const MAX_FILE_BYTES = 8_388_608

/** What has the place of a file cannot be it; the message says what to do. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'

  /** `reason`: the message without the path. */
  constructor(
    path: string,
    readonly reason: string,
  ) {
    super(`${path} ${reason}`)
  }
}

/** Runs a write; throws instead while nothing may be written. */
export type WriteGuard = (write: () => void) => void

export interface DurableFileOptions {
  /** Default: readable by the owner only. */
  readonly mode?: number
  readonly writers?: 'one' | 'several'
  /** Around every change of the file. */
  readonly guard?: WriteGuard | undefined
}

/**
 * One file that is always replaced as a whole: written beside the old one, synchronized, renamed over it. A kill at any moment leaves the
 * old or the new content. When `write` returns, the content is on the disk. By default the callers must ensure that one process at a time
 * writes. With `several` writers the last one wins, and readers never see a mixture.
 */
export class DurableFile {
  readonly #suffix: string
  /** Folders with a new folder in them that may not be on the disk yet. */
  #unsynced: readonly string[] = []

  constructor(
    readonly path: string,
    private readonly options: DurableFileOptions = {},
  ) {
    this.#suffix = options.writers === 'several' ? `.${process.pid}${NEXT}` : NEXT
  }

  /** The text of the file; see `readBytes`. */
  read(): string | undefined {
    return readBytes(this.path)?.toString()
  }

  /**
   * Creates missing folders. A link stays, and the file that it leads to is replaced. If it throws (the system's error), the old content is still there. Exception: if only the folder could not
   * be synchronized, the new content is there, but a loss of power may undo it.
   */
  write(content: string | Uint8Array): void {
    this.#guarded(() => this.#replace(content))
  }

  /** Also removes the unfinished file of a killed process. */
  remove(): void {
    this.#guarded(() => {
      rmSync(this.path + this.#suffix, { force: true })
      if (this.options.writers === 'several') removeLeftovers(this.path)
      rmSync(this.path, { force: true })
      syncFolder(dirname(this.path))
    })
  }

  #guarded(write: () => void): void {
    const { guard = (unguarded) => unguarded() } = this.options
    guard(write)
  }

  #replace(content: string | Uint8Array): void {
    this.#makeFolder(dirname(this.path))
    const path = targetOf(this.path)
    const next = path + this.#suffix
    const folder = dirname(path)
    try {
      writeDurably(next, content, this.options.mode ?? FILE_MODE)
      renameSync(next, path)
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
    if (this.options.writers === 'several') removeLeftovers(path)
    syncFolder(folder)
  }

  #makeFolder(folder: string): void {
    const changed = makeFolder(folder)
    if (changed.length > 0) this.#unsynced = changed
    for (const parent of this.#unsynced) syncFolder(parent)
    this.#unsynced = []
  }
}

/** The content of a file; undefined if it does not exist. `flags` of open(2) are added. Throws `UnusableFileError`, or the system's error. */
export function readBytes(path: string, flags = 0): Buffer | undefined {
  let file: number
  try {
    // A pipe in its place must not be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
    throw new UnusableFileError(path, 'is a link that leads nowhere: put its file there, or remove the link')
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile() && !stat.isDirectory()) throw new UnusableFileError(path, 'is not a file: move away what has its place')
    if (stat.size > MAX_FILE_BYTES)
      throw new UnusableFileError(path, `is too large, ${stat.size} bytes: at most ${MAX_FILE_BYTES}; move the file away`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Creates a folder and missing parents, for their owner only; in another user's folder root creates them for that user. Returns the
 * folders that got a new one, which may not be on the disk yet. Throws the system's error.
 */
export function makeFolder(path: string): readonly string[] {
  if (existsSync(path)) return []
  const around = dirname(resolve(path))
  // Level by level: the recursive system call never returns below /proc.
  const changed = makeFolder(around)
  try {
    mkdirSync(path, { mode: FOLDER_MODE })
  } catch (error) {
    // Another process created it first.
    if (codeOf(error) === 'EEXIST') return changed
    throw error
  }
  const owner = otherOwnerOf(around)
  // Do not follow a link that was put in its place meanwhile.
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid)
  return [...changed, around]
}

/** The file that links lead to; the path itself if they lead to none: a device, say, must never be replaced. In another user's folder root follows none: that user chooses where they lead. */
function targetOf(path: string): string {
  if (otherOwnerOf(dirname(path)) !== undefined) return path
  return orElse(path, () => (statSync(path).isFile() ? realpathSync(path) : path))
}

/** `writeFileSync` continues after a short write until all is written or the disk fails: a truncated file must never be renamed. */
function writeDurably(path: string, content: string | Uint8Array, mode: number): void {
  const file = openNext(path, mode)
  try {
    giveToOwnerOf(dirname(path), file)
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** In another user's folder root writes only to a file that it creates: that user may have put a link there. */
function openNext(path: string, mode: number): number {
  if (otherOwnerOf(dirname(path)) === undefined) return openSync(path, 'w', mode)
  rmSync(path, { force: true })
  return openSync(path, 'wx', mode)
}

/**
 * A file that root writes into another user's folder is given to that user: a service must be able to read what its operator changed.
 * `file` is the open one.
 */
export function giveToOwnerOf(folder: string, file: number): void {
  const owner = otherOwnerOf(folder)
  if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
}

/** Undefined unless this process is root and the folder belongs to another user. */
function otherOwnerOf(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? undefined : { uid, gid }
}

/** Removes unfinished files of processes that have ended. */
function removeLeftovers(path: string): void {
  const start = `${basename(path)}.`
  const folder = dirname(path)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.startsWith(start) || !name.endsWith(NEXT)) continue
    const pid = name.slice(start.length, -NEXT.length)
    if (/^[1-9]\d*$/.test(pid) && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** Whether a process with this number runs, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Makes renames and removals in a folder durable, if the file system supports that for folders. */
export function syncFolder(path: string): void {
  let folder: number
  try {
    folder = openSync(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(folder)
  } catch (error) {
    if (codeOf(error) !== 'EINVAL') throw error
  } finally {
    closeSync(folder)
  }
}
