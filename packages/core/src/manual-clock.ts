import { type Clock, nextTurn, sleepOn, type Timer, TimerQueue } from './clock.ts'

/** With more timers at one moment, the clock assumes that they start each other without end. */
const MAX_TIMERS_AT_ONE_MOMENT = 1_000_000

/** A clock that moves only with `advance`, for tests and fast simulations. */
export class ManualClock implements Clock {
  #now: number
  readonly #timers = new TimerQueue()
  readonly #settled: (() => Promise<void>) | undefined

  /** `settled` resolves when work outside this process is done. `advance` waits for it at each moment, too. */
  constructor(options: { startMs?: number; settled?: () => Promise<void> } = {}) {
    this.#now = options.startMs ?? 0
    this.#settled = options.settled
  }

  now(): number {
    return this.#now
  }

  /** Number of running timers, so that tests can find leaks. */
  get pending(): number {
    return this.#timers.size
  }

  /** When the next timer is due; undefined while none runs. */
  get nextDue(): number | undefined {
    return this.#timers.nextDue
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#timers.add(this.#now, delayMs, callback)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  /**
   * Moves the time forward by `ms` (0 or more) and fires every timer on the way in order. Lets all ready work run to its end once before,
   * once after, and after each moment with timers. Rejects with the error of a callback, or if timers start each other without end at one
   * moment.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`time goes forward, not by ${ms} ms`)
    const target = this.#now + ms
    await this.#rest()
    for (let due = this.#timers.nextDue; due !== undefined && due <= target; due = this.#timers.nextDue) {
      this.#now = Math.max(this.#now, due)
      this.#fireDue()
      await this.#rest()
    }
    this.#now = Math.max(this.#now, target)
    await this.#rest()
  }

  /** Moves the time forward without firing timers, as while a process is stopped: the next `advance` fires them late. */
  skip(ms: number): void {
    this.#now += ms
  }

  #rest(): Promise<void> {
    return this.#settled === undefined ? nextTurn() : nextTurn().then(this.#settled)
  }

  #fireDue(): void {
    for (let fired = 0; this.#timers.fireNext(this.#now); fired++) {
      if (fired >= MAX_TIMERS_AT_ONE_MOMENT) throw new Error(`timers start each other without end at ${this.#now} ms`)
    }
  }
}
