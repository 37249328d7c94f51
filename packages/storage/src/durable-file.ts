import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '@slotwire/core'

/** The next document until it is whole. One name, or one for each process, so that a kill leaves one such file at most. */
const NEXT = '.next'
/** What a device saves is its owner's alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/**
 * One file that is replaced as a whole. Written beside the old one, synchronized, renamed over it: a kill at any moment leaves the old or
 * the new content, and what `write` returned from is on the disk. One process at a time writes it, and whoever uses it sees to that, unless
 * it is made for `several`: then the last one to write wins, and nobody ever reads a mixture.
 */
export class DurableFile {
  readonly path: string
  readonly #mode: number
  readonly #next: string
  readonly #writers: 'one' | 'several'
  /** Folders with a new folder in them that may not be on the disk yet. */
  #unsynced: readonly string[] = []

  /** The file is its owner's alone unless `mode` says otherwise. */
  constructor(path: string, options: { readonly mode?: number; readonly writers?: 'one' | 'several' } = {}) {
    this.path = path
    this.#mode = options.mode ?? FILE_MODE
    this.#writers = options.writers ?? 'one'
    this.#next = this.#writers === 'one' ? path + NEXT : `${path}.${process.pid}${NEXT}`
  }

  /** Its text; undefined: there is no such file. Throws the system's error. */
  read(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /**
   * Makes the folders that are missing. When it throws (the system's error), the old content is still there, unless the folder alone could
   * not be synchronized: then the new one is, but a loss of power may undo it.
   */
  write(content: string | Uint8Array): void {
    const folder = dirname(this.path)
    this.#makeFolder(folder)
    try {
      writeDurably(this.#next, content, this.#mode)
      renameSync(this.#next, this.path)
    } catch (error) {
      rmSync(this.#next, { force: true })
      throw error
    }
    if (this.#writers === 'several') removeLeftovers(this.path)
    syncFolder(folder)
  }

  /** Also removes what a killed process left half-written. */
  remove(): void {
    rmSync(this.#next, { force: true })
    if (this.#writers === 'several') removeLeftovers(this.path)
    rmSync(this.path, { force: true })
    syncFolder(dirname(this.path))
  }

  #makeFolder(folder: string): void {
    const changed = makeFolder(folder)
    if (changed.length > 0) this.#unsynced = changed
    for (const parent of this.#unsynced) syncFolder(parent)
    this.#unsynced = []
  }
}

/**
 * Makes a folder and those around it that are missing, for their owner alone; in another user's folder root makes them for that user. Returns
 * the folders that got a new one, which may not be on the disk yet. Throws the system's error.
 */
export function makeFolder(path: string): readonly string[] {
  if (existsSync(path)) return []
  const around = dirname(resolve(path))
  // Level by level: the system call that makes them all at once never returns below /proc.
  const changed = makeFolder(around)
  try {
    mkdirSync(path, { mode: FOLDER_MODE })
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) === 'EEXIST') return changed
    throw error
  }
  const owner = otherOwnerOf(around)
  // A link that was laid in its place meanwhile stays what it is.
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid)
  return [...changed, around]
}

/** `writeFileSync` goes on after a short write until all is written or the disk says no: a file cut off must never be renamed. */
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

/** In a folder that is another user's, root writes to a file of its own making alone: that user may have laid a link to somewhere else. */
function openNext(path: string, mode: number): number {
  if (otherOwnerOf(dirname(path)) === undefined) return openSync(path, 'w', mode)
  rmSync(path, { force: true })
  return openSync(path, 'wx', mode)
}

/**
 * What root writes into the folder of another user is for that user: a service must be able to read what its operator changed. `file` is the
 * open one.
 */
export function giveToOwnerOf(folder: string, file: number): void {
  const owner = otherOwnerOf(folder)
  if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
}

/** Undefined unless this process is root, and the folder somebody else's. */
function otherOwnerOf(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? undefined : { uid, gid }
}

/** Removes what processes that are no more left half-written. */
function removeLeftovers(path: string): void {
  const start = `${basename(path)}.`
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(start) || !name.endsWith(NEXT)) continue
    const pid = name.slice(start.length, -NEXT.length)
    if (/^[1-9]\d*$/.test(pid) && !isRunning(Number(pid))) rmSync(join(dirname(path), name), { force: true })
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Whether a process has this number, be it another user's. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Makes renames and removals in a folder durable, where the file system knows that of folders. */
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
