import { isRecord } from '@slotwire/core'
import { DurableFile, type DurableFileOptions } from '@slotwire/storage'

/** Content of a module's non-volatile memory. */
export type MemoryContent =
  | { readonly state: 'empty' }
  | { readonly state: 'ok'; readonly document: Readonly<Record<string, unknown>> }
  | { readonly state: 'corrupt'; readonly reason: string }
  /** The content is unknown for now, such as without a free file descriptor: another try may succeed, and nothing may be overwritten. */
  | { readonly state: 'unreadable'; readonly reason: string }

/** Non-volatile memory of one module: one small JSON document. */
export interface NonVolatileMemory {
  load(): MemoryContent
  /**
   * Replaces the document; it is durable when this returns. If it throws, the old or the new document is there, complete, and another try
   * may succeed.
   */
  save(document: Readonly<Record<string, unknown>>): void
  /** Erases the memory, also after corruption. Throws like `save`. */
  clear(): void
}

/** Memory that ends with the process. */
export class VolatileMemory implements NonVolatileMemory {
  #content: MemoryContent = { state: 'empty' }

  load(): MemoryContent {
    return this.#content
  }

  save(document: Readonly<Record<string, unknown>>): void {
    this.#content = { state: 'ok', document: structuredClone(document) }
  }

  clear(): void {
    this.#content = { state: 'empty' }
  }

  /** Makes the memory unreadable, for tests. */
  corrupt(reason: string): void {
    this.#content = { state: 'corrupt', reason }
  }
}

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
