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
