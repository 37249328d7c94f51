/** What was found in a module's non-volatile memory. */
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
   * Replaces the document; it is durable when this returns. Throws when that cannot be had: then the old document or the new one is
   * there, whole, and another try may succeed.
   */
  save(document: Readonly<Record<string, unknown>>): void
  /** Back to empty, also after corruption. Throws as `save` does. */
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

  /** Makes the memory unreadable: a fault for tests and benches. */
  corrupt(reason: string): void {
    this.#content = { state: 'corrupt', reason }
  }
}
