import { type Clock, nextTurn, sleepOn, type Timer, TimerQueue } from './clock.ts'
import { Mutex } from './turns.ts'

/** Highest pace of a clock, as a multiple of its base clock. */
export const MAX_PACE = 10_000
/** Most that the clock catches up on a slow machine, in ms of the base clock. It skips the rest. */
export const MAX_BEHIND_MS = 100
/** Longest time that due timers may block other work before it gets a turn, in ms of the base clock. */
export const MAX_TURN_MS = 5

/** The pace at which this clock runs like its base clock. */
const BASE_PACE = 1

/**
 * Runs at a multiple of another clock, which can be changed at any time: 1 as fast, 10 ten times as fast, 0 stopped. While it is stopped,
 * `step` moves it.
 * At pace 1 it behaves like its base clock, as long as due timers need less than a turn. At any other pace time waits for its timers: it
 * never moves beyond a due one, and all ready work runs between two moments with timers. So the pace is a maximum. On a slow machine time
 * runs slower, but 100 ms are still 100 ms of this clock.
 */
export class PacedClock implements Clock {
  readonly #base: Clock
  readonly #timers = new TimerQueue()
  readonly #steps = new Mutex()
  #pace = BASE_PACE
  /** Counts changes of the pace, so that earlier work notices that it is over. */
  #settings = 0
  /** This clock's time at the moment `#anchorBase` of its base clock. It never gets below `#anchor`. */
  #anchor: number
  #anchorBase: number
  /** The moment whose timers are firing. Time stands still meanwhile. */
  #moment: number | undefined
  #turnDue = false
  #wake: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(base: Clock) {
    this.#base = base
    this.#anchorBase = base.now()
    this.#anchor = this.#anchorBase
  }

  now(): number {
    if (this.#moment !== undefined) return this.#moment
    if (this.#pace === BASE_PACE) return this.#aim()
    return Math.max(this.#anchor, Math.min(this.#aim(), this.#timers.nextDue ?? Number.POSITIVE_INFINITY))
  }

  get pace(): number {
    return this.#pace
  }

  /** Takes effect at once, also for running timers, and ends a step. Throws `RangeError` outside 0…`MAX_PACE`. */
  set pace(pace: number) {
    if (!(pace >= 0 && pace <= MAX_PACE)) throw new RangeError(`the pace is ${pace}: 0…${MAX_PACE}`)
    this.#anchorAt(this.now())
    this.#pace = pace
    this.#settings++
    this.#moment = undefined
    this.#disarm()
    this.#arm()
  }

  after(delayMs: number, callback: () => void, awake = false): Timer {
    const timer = this.#timers.add(this.now(), delayMs, callback, awake)
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
   * Moves a stopped clock by `ms` (0 or more), fires every timer on the way in order, and lets all ready work run after each moment. A
   * second step runs after the first. Setting the pace ends it at its current time. Throws `RangeError` while the clock runs.
   */
  async step(ms: number): Promise<void> {
    if (this.#pace !== 0) throw new RangeError('the clock runs by itself: set its pace to 0 before a step')
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw new RangeError(`time goes forward, not by ${ms} ms`)
    const begun = this.#settings
    await this.#steps.run(() => this.#stepBy(ms, () => this.#settings !== begun))
  }

  async #stepBy(ms: number, isOver: () => boolean): Promise<void> {
    const target = this.#anchor + ms
    await nextTurn()
    for (let due = this.#timers.nextDue; due !== undefined && due <= target; due = this.#timers.nextDue) {
      if (isOver()) return
      this.#anchor = Math.max(this.#anchor, due)
      this.#fire(this.#anchor, isOver)
      await nextTurn()
    }
    if (!isOver()) this.#anchor = Math.max(this.#anchor, target)
  }

  /** The time without waiting for timers. */
  #aim(): number {
    return this.#anchor + (this.#base.now() - this.#anchorBase) * this.#pace
  }

  #anchorAt(now: number): void {
    this.#anchorBase = this.#base.now()
    this.#anchor = now
  }

  #arm(): void {
    const due = this.#timers.nextDue
    if (due === undefined || due >= this.#wakeAt || this.#pace === 0 || this.#moment !== undefined) return
    this.#wake?.cancel()
    this.#wakeAt = due
    const awake = this.#pace === BASE_PACE && this.#timers.nextAwake
    this.#wake = this.#base.after((due - this.now()) / this.#pace, () => this.#onWake(due), awake)
  }

  /** No timer waits, or time is stopped: the process may end. */
  #disarm(): void {
    this.#wake?.cancel()
    this.#wake = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  #onWake(due: number): void {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#wake = undefined
    // Rounding in the division by the pace must not make a timer early.
    if (this.#aim() < due) this.#anchorAt(due)
    if (this.#pace === BASE_PACE) this.#fireAtBasePace()
    else this.#fireMoment()
  }

  /** Fires all due timers. If they need more than a turn, time stands still for the rest, and catches up like at any other pace. */
  #fireAtBasePace(): void {
    const now = this.#aim()
    this.#moment = now
    try {
      this.#fire(now, () => this.#moment !== now)
    } finally {
      if ((this.#timers.nextDue ?? Number.POSITIVE_INFINITY) <= now) this.#continueNextTurn()
      else if (this.#moment === now) this.#endMoment()
    }
  }

  #endMoment(): void {
    this.#moment = undefined
    this.#arm()
  }

  /** Fires the timers of the next moment to catch up with, then continues in the event loop's next turn. */
  #fireMoment(): void {
    const due = this.#timers.nextDue
    const aim = this.#aim()
    if (due === undefined || due > aim) {
      this.#endMoment()
      return
    }
    const moment = Math.max(this.#moment ?? this.#anchor, due)
    const furthest = moment + MAX_BEHIND_MS * this.#pace
    if (aim > furthest) this.#anchorAt(furthest)
    this.#moment = moment
    try {
      this.#fire(moment, () => this.#moment !== moment)
    } finally {
      this.#continueNextTurn()
    }
  }

  #continueNextTurn(): void {
    if (this.#moment === undefined || this.#turnDue) return
    this.#turnDue = true
    void nextTurn().then(() => {
      this.#turnDue = false
      if (this.#moment !== undefined) this.#fireMoment()
    })
  }

  /** Fires the timers due at a moment, within the time of one turn, or until it is over. */
  #fire(moment: number, isOver: () => boolean): void {
    const turnEndsMs = this.#base.now() + MAX_TURN_MS
    while (!isOver() && this.#timers.fireNext(moment) && this.#base.now() < turnEndsMs);
  }
}
