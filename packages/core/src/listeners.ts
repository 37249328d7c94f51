/** Calls all listeners in order of subscription. An error of one goes to `onError` and does not affect the others. */
export class Listeners<Event> {
  /** An object for each subscription: the same function may subscribe twice. */
  readonly #subscriptions = new Set<{ readonly listener: (event: Event) => void }>()
  readonly #onError: (error: unknown) => void

  /** By default the first error goes to the caller of `emit`, and later listeners are not called. */
  constructor(onError: (error: unknown) => void = rethrow) {
    this.#onError = onError
  }

  /** Calls `listener` on each event until the returned function is called. */
  add(listener: (event: Event) => void): () => void {
    const own = { listener }
    this.#subscriptions.add(own)
    return () => {
      this.#subscriptions.delete(own)
    }
  }

  get size(): number {
    return this.#subscriptions.size
  }

  emit(event: Event): void {
    for (const { listener } of [...this.#subscriptions]) {
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
