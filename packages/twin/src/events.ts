/** A list of listeners, each called with every event until it is taken off. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()

  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: Event): void {
    for (const listener of [...this.#listeners]) listener(event)
  }
}
