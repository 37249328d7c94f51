import { closeSync, fchownSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The next document until it is whole; one name, so that a kill leaves one such file at most. The owner of the folder locks it. */
const NEXT = '.next'
/** What a device saves is its owner's alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/**
 * One file that is replaced as a whole. Written beside the old one, synchronized, renamed over it: a kill at any moment leaves the old or
 * the new content, and what `write` returned from is on the disk. One writer at a time: whoever uses it sees to that.
 */
export class DurableFile {
  readonly path: string
  readonly #mode: number
  /** Folders with a new folder in them that may not be on the disk yet. */
  #unsynced: readonly string[] = []

  /** The file is its owner's alone unless `mode` says otherwise. */
  constructor(path: string, options: { readonly mode?: number } = {}) {
    this.path = path
    this.#mode = options.mode ?? FILE_MODE
  }

  /**
   * Makes the folders that are missing. When it throws (the system's error), the old content is still there, unless the folder alone could
   * not be synchronized: then the new one is, but a loss of power may undo it.
   */
  write(content: string | Uint8Array): void {
    const folder = dirname(this.path)
    this.#makeFolder(folder)
    const next = this.path + NEXT
    try {
      writeDurably(next, content, this.#mode)
      renameSync(next, this.path)
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
    syncFolder(folder)
  }

  /** Also removes what a killed process left half-written. */
  remove(): void {
    rmSync(this.path + NEXT, { force: true })
    rmSync(this.path, { force: true })
    syncFolder(dirname(this.path))
  }

  #makeFolder(folder: string): void {
    const first = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    if (first !== undefined) this.#unsynced = parentsOf(first, folder)
    for (const parent of this.#unsynced) syncFolder(parent)
    this.#unsynced = []
  }
}

/** The folders around `first` and everything below it down to `last`. */
function parentsOf(first: string, last: string): readonly string[] {
  const parents: string[] = []
  const top = dirname(resolve(first))
  for (let folder = resolve(last); folder !== top && folder !== dirname(folder); ) {
    folder = dirname(folder)
    parents.push(folder)
  }
  return parents
}

/** `writeFileSync` goes on after a short write until all is written or the disk says no: a file cut off must never be renamed. */
function writeDurably(path: string, content: string | Uint8Array, mode: number): void {
  const file = openSync(path, 'w', mode)
  try {
    giveToOwnerOf(dirname(path), file)
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** What root writes into the folder of another user is for that user: a service must be able to read what its operator changed. */
function giveToOwnerOf(folder: string, file: number): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  if (uid !== 0) fchownSync(file, uid, gid)
}

/** Makes a rename or removal durable, where the file system knows that of folders. */
function syncFolder(path: string): void {
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

/** The system's name of an error (`ENOENT`); undefined for what is none of the system's. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
