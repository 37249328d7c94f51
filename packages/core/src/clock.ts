import { nextTurn } from './next-turn.ts'
import { type Timer, TimerQueue } from './timer-queue.ts'

export type { Timer } from './timer-queue.ts'

/**
 * The only way to time in the project. `now` is monotonic, in milliseconds with fractions, and says nothing about the date.
 * Callbacks run in order of their due time; equal due times in order of their start.
 */
export interface Clock {
  now(): number
  /**
   * Runs `callback` once, `delayMs` (0 or more, never earlier) from now. Keeps the process alive until then. Real time is late by up to a
   * millisecond and some; with `awake` only as late as the event loop's next turn, for up to a millisecond's work of the processor.
   */
  after(delayMs: number, callback: () => void, awake?: boolean): Timer
  /** Resolves `delayMs` from now; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** `sleep` in terms of `after`: shared by every clock. */
export function sleepOn(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error)
      return
    }
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    function onAbort(): void {
      timer.cancel()
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Microseconds on the operating system's own monotonic clock (CLOCK_MONOTONIC), which every process of the machine reads alike: for what
 * another program is told.
 */
export function monotonicMicroseconds(): bigint {
  return process.hrtime.bigint() / 1000n
}

/** Largest delay that one system timer takes (2³¹ − 1 ms); longer ones are chained. */
const LONGEST_SYSTEM_TIMER_MS = 2_147_483_647
/** System timers fire about so much after their whole millisecond: who waits awake has himself woken up so much earlier. */
const USUAL_LATENESS_MS = 0.3

/**
 * Real time. Its timers never fire early and keep their order, fractions of a millisecond included; system timers, which count
 * whole milliseconds, do neither: one of them wakes this clock up for whatever is due.
 */
export class SystemClock implements Clock {
  readonly #timers = new TimerQueue(() => this.#disarm())
  readonly #maxLatenessMs: number
  readonly #monotonic: () => number
  /** Time that was spent in stalls, in ms. */
  #stalledMs = 0
  #wakeUp: ReturnType<typeof setTimeout> | undefined
  #wakeUpAt = Number.POSITIVE_INFINITY
  /** The event loop's next turn looks whether a timer is due. */
  #turning = false

  /**
   * With `maxLatenessMs` time waits for its timers: it never gets further than that beyond one that is due, so that a process that
   * was stopped goes on where it was. `monotonic` is where time comes from, in ms.
   */
  constructor(options: { readonly maxLatenessMs?: number; readonly monotonic?: () => number } = {}) {
    this.#maxLatenessMs = options.maxLatenessMs ?? Number.POSITIVE_INFINITY
    this.#monotonic = options.monotonic ?? (() => performance.now())
  }

  now(): number {
    const now = this.#monotonic() - this.#stalledMs
    const latest = (this.#timers.nextDue ?? Number.POSITIVE_INFINITY) + this.#maxLatenessMs
    if (now <= latest) return now
    this.#stalledMs += now - latest
    return latest
  }

  after(delayMs: number, callback: () => void, awake = false): Timer {
    const timer = this.#timers.add(this.now(), delayMs, callback, awake)
    this.#arm()
    return timer
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  #arm(): void {
    const due = this.#timers.nextDue
    if (due === undefined || due >= this.#wakeUpAt) return
    clearTimeout(this.#wakeUp)
    this.#wakeUpAt = due
    const leftMs = due - this.now()
    const delayMs = this.#timers.nextAwake ? Math.floor(leftMs - USUAL_LATENESS_MS) : Math.max(1, Math.ceil(leftMs))
    if (delayMs < 1) this.#lookNextTurn()
    else this.#wakeUp = setTimeout(() => this.#fireDue(), Math.min(delayMs, LONGEST_SYSTEM_TIMER_MS))
  }

  #lookNextTurn(): void {
    if (this.#turning) return
    this.#turning = true
    void nextTurn().then(() => {
      this.#turning = false
      this.#fireDue()
    })
  }

  /** Nothing waits any more: the process may end. */
  #disarm(): void {
    clearTimeout(this.#wakeUp)
    this.#wakeUpAt = Number.POSITIVE_INFINITY
  }

  #fireDue(): void {
    clearTimeout(this.#wakeUp)
    this.#wakeUpAt = Number.POSITIVE_INFINITY
    const now = this.now()
    try {
      while (this.#timers.fireNext(now));
    } finally {
      this.#arm()
    }
  }
}
