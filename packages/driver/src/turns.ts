/** Lets one at a time in, in order of arrival, with a bound on who waits. */
export class Turns {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #taken = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Runs `work` when it is its turn. Throws what `full` makes, at once, when too many wait. */
  async take<Result>(work: () => Promise<Result>, full: () => Error): Promise<Result> {
    if (this.#taken) {
      if (this.#waiting.length >= this.#limit) throw full()
      // The turn is handed over: `taken` stays true from one to the next.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#taken = true
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken = false
      else next()
    }
  }
}
