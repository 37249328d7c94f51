import { Listeners } from '@slotwire/core'

/** Listeners of abort signals. A signal gets one for all of them, while there are some: of more than ten Node.js warns as of a leak. */
export class AbortListeners {
  readonly #signals = new WeakMap<AbortSignal, { readonly listeners: Listeners<void>; readonly emit: () => void }>()

  /** Calls `listener` when the signal is aborted. Returns a function that ends it. */
  add(signal: AbortSignal | undefined, listener: () => void): () => void {
    if (signal === undefined) return () => undefined
    const entry = this.#signals.get(signal) ?? this.#begin(signal)
    const end = entry.listeners.add(listener)
    return () => {
      end()
      if (entry.listeners.size > 0 || this.#signals.get(signal) !== entry) return
      this.#signals.delete(signal)
      signal.removeEventListener('abort', entry.emit)
    }
  }

  #begin(signal: AbortSignal) {
    const listeners = new Listeners<void>()
    const entry = { listeners, emit: () => listeners.emit() }
    this.#signals.set(signal, entry)
    signal.addEventListener('abort', entry.emit, { once: true })
    return entry
  }
}
