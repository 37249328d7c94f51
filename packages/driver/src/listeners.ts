import type { Log } from '@slotwire/core'

/** Tells everybody who listens; a listener that throws is logged and harms nobody else. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Calls `listener` on each event until the returned function is called. */
  add(listener: (event: Event) => void): () => void {
    // The same function may subscribe twice, and each subscription ends on its own.
    const own = (event: Event): void => listener(event)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#log.error({ error }, 'a listener failed')
      }
    }
  }
}
