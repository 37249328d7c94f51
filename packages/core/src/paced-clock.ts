import type { Clock, Timer } from './clock.ts'
import { sleepOn } from './clock.ts'
import { nextTurn } from './next-turn.ts'
import { TimerQueue } from './timer-queue.ts'

/** Fastest pace of a clock, as a multiple of the time that it follows. */
export const FASTEST_PACE = 10_000

/**
 * Follows another clock at a pace that can be changed while it runs: 1 as fast, 10 ten times as fast, 0 not at all. While it stands, `step`
 * moves it by hand.
 */
export class PacedClock implements Clock {
  readonly #base: Clock
  readonly #timers = new TimerQueue()
  #pace = 1
  /** This clock's time at the moment `#anchorBase` of the other. */
  #anchor: number
  #anchorBase: number
  #wake: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(base: Clock) {
    this.#base = base
    this.#anchorBase = base.now()
    this.#anchor = this.#anchorBase
  }

  now(): number {
    return this.#anchor + (this.#base.now() - this.#anchorBase) * this.#pace
  }

  get pace(): number {
    return this.#pace
  }

  /** Takes effect at once, also for timers that run. Throws `RangeError` outside 0…`FASTEST_PACE`. */
  set pace(pace: number) {
    if (!(pace >= 0 && pace <= FASTEST_PACE)) throw new RangeError(`the pace is ${pace}: 0…${FASTEST_PACE}`)
    this.#anchorAt(this.now())
    this.#pace = pace
    this.#armAnew()
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = this.#timers.add(this.now(), delayMs, callback)
    this.#arm()
    return {
      cancel: () => {
        timer.cancel()
        if (this.#timers.size === 0) this.#disarm()
      },
    }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  /**
   * Moves a clock that stands on by `ms` (0 or more), firing every timer on the way in its order, and lets everything that is ready run
   * after each. Throws `RangeError` while the clock goes by itself.
   */
  async step(ms: number): Promise<void> {
    if (this.#pace !== 0) throw new RangeError('the clock goes by itself: set its pace to 0 before a step')
    if (!(ms >= 0)) throw new RangeError(`time goes forward, not by ${ms} ms`)
    const target = this.#anchor + ms
    await nextTurn()
    for (let due = this.#timers.nextDue; due !== undefined && due <= target; due = this.#timers.nextDue) {
      if (this.#pace !== 0) return
      this.#anchor = Math.max(this.#anchor, due)
      while (this.#timers.fireNext(this.#anchor));
      await nextTurn()
    }
    if (this.#pace !== 0) return
    this.#anchor = Math.max(this.#anchor, target)
  }

  #anchorAt(now: number): void {
    this.#anchorBase = this.#base.now()
    this.#anchor = now
  }

  #armAnew(): void {
    this.#disarm()
    this.#arm()
  }

  #arm(): void {
    const due = this.#timers.nextDue
    if (due === undefined || due >= this.#wakeAt || this.#pace === 0) return
    this.#wake?.cancel()
    this.#wakeAt = due
    this.#wake = this.#base.after((due - this.now()) / this.#pace, () => this.#fireDue(due))
  }

  /** Nothing waits any more, or nothing will happen: the process may end. */
  #disarm(): void {
    this.#wake?.cancel()
    this.#wake = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  #fireDue(due: number): void {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#wake = undefined
    // What was lost in dividing by the pace and multiplying again must not make a timer early.
    if (this.now() < due) this.#anchorAt(due)
    const now = this.now()
    try {
      while (this.#timers.fireNext(now));
    } finally {
      this.#arm()
    }
  }
}
