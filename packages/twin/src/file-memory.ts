import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { MemoryContent, NonVolatileMemory } from './memory.ts'

/** The next document until it is whole; one name, so that a kill leaves one such file at most. The owner of the folder locks it. */
const NEXT = '.next'
/** What a device saves is its owner's alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/**
 * Memory in a file: one JSON document that people can read. Written beside the old one, synchronized, renamed over it: a kill at any
 * moment leaves the old or the new document, and what `save` returned from is on the disk. When it throws, the old document is still
 * there, unless the folder alone could not be synchronized: then the new one is, but a loss of power may undo it.
 */
export class FileMemory implements NonVolatileMemory {
  readonly #path: string
  /** Folders with a new folder in them that may not be on the disk yet. */
  #unsynced: readonly string[] = []

  constructor(path: string) {
    this.#path = path
  }

  load(): MemoryContent {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { state: 'empty' }
      return { state: 'corrupt', reason: `cannot be read: ${String(error)}` }
    }
    return parse(text)
  }

  save(document: Readonly<Record<string, unknown>>): void {
    const text = `${JSON.stringify(document, null, 2)}\n`
    const folder = dirname(this.#path)
    this.#makeFolder(folder)
    const next = this.#path + NEXT
    try {
      writeDurably(next, text)
      renameSync(next, this.#path)
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
    syncFolder(folder)
  }

  clear(): void {
    rmSync(this.#path + NEXT, { force: true })
    rmSync(this.#path, { force: true })
    syncFolder(dirname(this.#path))
  }

  #makeFolder(folder: string): void {
    const first = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    if (first !== undefined) this.#unsynced = parentsOf(first, folder)
    for (const parent of this.#unsynced) syncFolder(parent)
    this.#unsynced = []
  }
}

function parse(text: string): MemoryContent {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return { state: 'corrupt', reason: `is not JSON: ${String(error)}` }
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { state: 'corrupt', reason: 'is not a JSON object' }
  }
  return { state: 'ok', document: document as Record<string, unknown> }
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
function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', FILE_MODE)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
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

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
