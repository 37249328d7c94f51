import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MemoryContent, NonVolatileMemory } from './memory.ts'

/** The next document until it is whole; one name, so that a kill leaves one such file at most. The owner of the folder locks it. */
const NEXT = '.next'

/**
 * Memory in a file: one JSON document that people can read. Written beside the old one, synchronized, renamed over it: a kill at any
 * moment leaves the old or the new document, and what `save` returned from is on the disk.
 */
export class FileMemory implements NonVolatileMemory {
  readonly #path: string

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
    mkdirSync(folder, { recursive: true })
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

/** `writeFileSync` goes on after a short write until all is written or the disk says no: a file cut off must never be renamed. */
function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w')
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
