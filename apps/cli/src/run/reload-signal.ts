/** What is needed of the process; `terminal`: whether standard input is a terminal now. */
export interface ReloadSignalOptions {
  readonly terminal: () => boolean
  readonly onSignal?: (listener: () => void) => void
  /** Told of a reload that was rejected; the next signal is followed all the same. */
  readonly onFailure: (error: unknown) => void
}

/**
 * SIGHUP: read the settings anew. It is also what the system sends when a terminal is closed; a server that was started on one has lost it
 * by then, and ends with it.
 */
export class ReloadSignal {
  /** Resolves when the terminal on which the process was started is gone. */
  readonly terminalGone: Promise<void>
  #reload: (() => Promise<void>) | undefined
  #running = false
  #due = false

  readonly #onFailure: (error: unknown) => void

  constructor({ terminal, onFailure, onSignal = (listener) => process.on('SIGHUP', listener) }: ReloadSignalOptions) {
    this.#onFailure = onFailure
    const onTerminal = terminal()
    this.terminalGone = new Promise((resolve) => {
      onSignal(() => {
        if (onTerminal && !terminal()) resolve()
        else this.#begin()
      })
    })
  }

  /** What a signal does from now on, one after the other; signals that came before count as one. */
  follow(reload: () => Promise<void>): void {
    this.#reload = reload
    if (this.#due) this.#begin()
  }

  #begin(): void {
    this.#due = true
    if (this.#reload === undefined || this.#running) return
    void this.#run(this.#reload)
  }

  async #run(reload: () => Promise<void>): Promise<void> {
    this.#running = true
    while (this.#due) {
      this.#due = false
      try {
        await reload()
      } catch (error) {
        this.#onFailure(error)
      }
    }
    this.#running = false
  }
}
