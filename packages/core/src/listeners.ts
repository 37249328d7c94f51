/** Tells everybody who listens, in order of subscription; what a listener throws goes to `onError` and harms nobody else. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()
  readonly #onError: (error: unknown) => void

  /** Without `onError` the first error reaches whoever emits, and later listeners are not told. */
  constructor(onError: (error: unknown) => void = rethrow) {
    this.#onError = onError
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
    for (const listener of [...this.#listeners]) {
      try {
        listener(event)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

function rethrow(error: unknown): never {
  throw error
}
