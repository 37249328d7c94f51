import type { MemoryContent, NonVolatileMemory } from '../module/memory.ts'

/** Non-volatile memory that can be made to fail. */
export class FaultyMemory implements NonVolatileMemory {
  readonly #fillings = new Set<object>()
  #corrupt: string | undefined

  constructor(private readonly memory: NonVolatileMemory) {}

  load(): MemoryContent {
    return this.#corrupt === undefined ? this.memory.load() : { state: 'corrupt', reason: this.#corrupt }
  }

  save(document: Readonly<Record<string, unknown>>): void {
    if (this.#fillings.size > 0) throw new Error('ENOSPC: no space left on the virtual storage')
    this.memory.save(document)
    this.#corrupt = undefined
  }

  clear(): void {
    this.memory.clear()
    this.#corrupt = undefined
  }

  /** Makes the content unreadable until it is cleared or replaced. */
  corrupt(reason: string): void {
    this.#corrupt = reason
  }

  /** Makes the storage full until all functions that this returned have been called. */
  fill(): () => void {
    const filling = {}
    this.#fillings.add(filling)
    return () => void this.#fillings.delete(filling)
  }
}
