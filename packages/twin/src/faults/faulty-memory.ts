import type { MemoryContent, NonVolatileMemory } from '../module/memory.ts'

/** Non-volatile memory that can be made to fail. */
export class FaultyMemory implements NonVolatileMemory {
  readonly #memory: NonVolatileMemory
  readonly #fillings = new Set<object>()
  #corrupt: string | undefined

  constructor(memory: NonVolatileMemory) {
    this.#memory = memory
  }

  load(): MemoryContent {
    return this.#corrupt === undefined ? this.#memory.load() : { state: 'corrupt', reason: this.#corrupt }
  }

  save(document: Readonly<Record<string, unknown>>): void {
    if (this.#fillings.size > 0) throw new Error('ENOSPC: no space left on the virtual storage')
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

  /** From now on the storage is full, until every function that this has returned was called. */
  fill(): () => void {
    const filling = {}
    this.#fillings.add(filling)
    return () => void this.#fillings.delete(filling)
  }
}
