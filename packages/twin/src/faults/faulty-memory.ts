import type { MemoryContent, NonVolatileMemory } from '../memory.ts'

/** Non-volatile memory that can be made to fail. */
export class FaultyMemory implements NonVolatileMemory {
  readonly #memory: NonVolatileMemory
  #corrupt: string | undefined
  /** While true nothing can be saved: the storage is full. */
  full = false

  constructor(memory: NonVolatileMemory) {
    this.#memory = memory
  }

  load(): MemoryContent {
    return this.#corrupt === undefined ? this.#memory.load() : { state: 'corrupt', reason: this.#corrupt }
  }

  save(document: Readonly<Record<string, unknown>>): void {
    if (this.full) throw new Error('ENOSPC: no space left on the virtual storage')
    this.#memory.save(document)
    this.#corrupt = undefined
  }

  clear(): void {
    this.#memory.clear()
    this.#corrupt = undefined
  }

  /** From now on what is saved cannot be read, until it is cleared or written anew. */
  corrupt(reason: string): void {
    this.#corrupt = reason
  }
}
