/** What this needs from the process. `terminal`: whether standard input is a terminal now. */
export interface ReloadSignalOptions {
  readonly terminal: () => boolean
  readonly onSignal?: (listener: () => void) => void
  /** Called when a reload rejects. The next signal still reloads. */
  readonly onFailure: (error: unknown) => void
}

/** SIGHUP: read the settings again. The system also sends it when a terminal closes: a server started on that terminal then ends. */
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

  /** Sets what a signal does, one reload at a time. Signals that came before count as one. */
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
