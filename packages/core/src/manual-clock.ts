import type { Clock, Timer } from './clock.ts'
import { sleepOn } from './clock.ts'
import { nextTurn } from './next-turn.ts'
import { TimerQueue } from './timer-queue.ts'

/** More timers at one moment are taken for timers that start each other for ever. */
const MOST_TIMERS_AT_ONE_MOMENT = 1_000_000

/** A clock that stands still until `advance` moves it: tests and fast simulations. */
export class ManualClock implements Clock {
  #now: number
  readonly #timers = new TimerQueue()
  readonly #settled: (() => Promise<void>) | undefined

  /** `settled` resolves when what goes on outside of this process has come to rest: `advance` waits for that at each moment, too. */
  constructor(options: { startMs?: number; settled?: () => Promise<void> } = {}) {
    this.#now = options.startMs ?? 0
    this.#settled = options.settled
  }

  now(): number {
    return this.#now
  }

  /** How many timers are running: a test's view on leaks. */
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
   * Moves the time on by `ms` (0 or more), firing every timer on the way in its order. After each moment at which timers fired, and
   * once before and after, everything that is ready to run is let run to its end. Rejects with what a callback throws, and when timers
   * start each other without end at one moment.
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

  #rest(): Promise<void> {
    return this.#settled === undefined ? nextTurn() : nextTurn().then(this.#settled)
  }

  #fireDue(): void {
    for (let fired = 0; this.#timers.fireNext(this.#now); fired++) {
      if (fired >= MOST_TIMERS_AT_ONE_MOMENT) throw new Error(`timers start each other without end at ${this.#now} ms`)
    }
  }
}
