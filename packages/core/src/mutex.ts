/** Allows one turn at a time, in order of arrival. Costs nothing while it is free. The caller must bound the number of waiting calls. */
export class Mutex {
  readonly #waiting: (() => void)[] = []
  #taken = false

  /** Runs `work` when it has the turn. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken) await this.#wait()
    this.#taken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  /** Resolves when the caller has the turn, with the function that ends it. Calling that again has no effect. */
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

  /** Passes the turn to the next in line: it stays taken, so no other caller can get in between. */
  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
