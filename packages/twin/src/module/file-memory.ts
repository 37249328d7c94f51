import { isRecord } from '@slotwire/core'
import { DurableFile, type DurableFileOptions } from '@slotwire/storage'
import type { MemoryContent, NonVolatileMemory } from './memory.ts'

/** Memory in a file: one readable JSON document, replaced atomically and durably (`DurableFile`). */
export class FileMemory implements NonVolatileMemory {
  readonly #file: DurableFile

  constructor(path: string, options: Pick<DurableFileOptions, 'guard'> = {}) {
    this.#file = new DurableFile(path, options)
  }

  load(): MemoryContent {
    let text: string | undefined
    try {
      text = this.#file.read()
    } catch (error) {
      return { state: 'unreadable', reason: `cannot be read: ${String(error)}` }
    }
    return text === undefined ? { state: 'empty' } : parse(text)
  }

  save(document: Readonly<Record<string, unknown>>): void {
    this.#file.write(`${JSON.stringify(document, null, 2)}\n`)
  }

  clear(): void {
    this.#file.remove()
  }
}

function parse(text: string): MemoryContent {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return { state: 'corrupt', reason: `is not JSON: ${String(error)}` }
  }
  return isRecord(document) ? { state: 'ok', document } : { state: 'corrupt', reason: 'is not a JSON object' }
}
