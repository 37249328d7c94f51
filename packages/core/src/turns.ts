import { type Clock, nextTurn } from './clock.ts'

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

/** Most time of one turn of the event loop for work that takes turns, in milliseconds: then timers run, and sockets are read. */
export const TURN_MS = 20
/** After so much work its end is awaited: to await each would make short turns of a busy event loop. */
const AWAITED_MS = TURN_MS / 4

/** Shares out the time of the event loop. Its queue is as long as its callers let it become. */
export class Turns {
  readonly #clock: Pick<Clock, 'now'>
  readonly #waiting: (() => void)[] = []
  #spentMs = 0
  #isAwaited = false

  /** `clock`: real time. */
  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Runs work at once while the present turn has time left, otherwise after earlier work in a later turn. It must not throw. */
  run(work: () => void): void {
    if (this.#waiting.length > 0 || this.#spentMs >= TURN_MS) this.#waiting.push(work)
    else this.#spend(work)
  }

  /** The result of work that may throw. */
  result<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      this.run(() => resolve(new Promise((settle) => settle(work()))))
    })
  }

  #spend(work: () => void): void {
    const startedMs = this.#clock.now()
    work()
    this.#spentMs += this.#clock.now() - startedMs
    if (this.#isAwaited || this.#spentMs < AWAITED_MS) return
    this.#isAwaited = true
    void nextTurn().then(this.#next)
  }

  readonly #next = (): void => {
    this.#isAwaited = false
    this.#spentMs = 0
    while (this.#spentMs < TURN_MS) {
      const work = this.#waiting.shift()
      if (work === undefined) return
      this.#spend(work)
    }
  }
}
