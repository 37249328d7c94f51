/** One user at a time, in order of arrival. Costs nothing while nobody waits. */
export class BusLock {
  #held = false
  readonly #waiting: (() => void)[] = []

  async run<Result>(use: () => Promise<Result>): Promise<Result> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#held = true
    try {
      return await use()
    } finally {
      this.#release()
    }
  }

  /** Hands the bus on without letting anybody in between. */
  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held = false
    else next()
  }
}
