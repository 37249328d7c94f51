/** Lets one at a time in, in order of arrival. Costs nothing while nobody waits. How many wait is for its users to bound. */
export class Mutex {
  readonly #waiting: (() => void)[] = []
  #taken = false

  /** Runs `work` when it is its turn. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken) await this.#wait()
    this.#taken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  /** Resolves when it is the caller's turn, with what ends it; calling that once more does nothing. */
  async take(): Promise<() => void> {
    if (this.#taken) await this.#wait()
    this.#taken = true
    let over = false
    return () => {
      if (over) return
      over = true
      this.#pass()
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the turn on without letting anybody in between: it stays taken from one to the next. */
  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
