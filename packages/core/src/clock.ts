/** Browsers have none. */
declare const setImmediate: ((callback: () => void) => void) | undefined

/** Lets all ready work run first: promise callbacks, readable sockets and due timers. For splitting long work into pieces, not for timing. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'undefined') setTimeout(resolve, 0)
    else setImmediate(resolve)
  })
}

/**
 * The only source of time in the project. `now` is monotonic, in milliseconds with fractions, unrelated to the date. Callbacks run in
 * order of their due time; those with equal due times run in order of their start.
 */
export interface Clock {
  now(): number
  /**
   * Runs `callback` once, `delayMs` (0 or more) from now, never earlier. Keeps the process alive until then. Real time is late by a
   * little more than a millisecond. With `awake` it is only as late as the next turn of the event loop, which costs up to a millisecond
   * of processor time.
   */
  after(delayMs: number, callback: () => void, awake?: boolean): Timer
  /** Resolves `delayMs` from now; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** `sleep` based on `after`, shared by every clock. */
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
 * Waits for `work` for at most `deadlineMs`. Then rejects with what `expired` makes, or with a message (`not closed` within so many ms).
 * A late result goes to `late`, so that its owner can release it; a late failure is ignored.
 */
export function withDeadline<Result>(
  clock: Clock,
  deadlineMs: number,
  work: Promise<Result>,
  expired: string | (() => Error),
  late?: (result: Result) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let over = false
    const timer = clock.after(deadlineMs, () => {
      over = true
      reject(typeof expired === 'string' ? new Error(`${expired} within ${deadlineMs} ms`) : expired())
    })
    const settle = (): void => {
      timer.cancel()
      if (!over) resolve(work)
      else if (late !== undefined) work.then(late, () => undefined)
    }
    work.then(settle, settle)
  })
}

/** Waits for `work` until `signal` is aborted, then rejects with its reason. A later outcome of `work` is ignored. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    const settle = (): void => {
      signal.removeEventListener('abort', abort)
      resolve(work)
    }
    work.then(settle, settle)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

/** A running timer; `cancel` is allowed at any moment, also after it fired. */
export interface Timer {
  cancel(): void
}

class WaitingTimer implements Timer {
  readonly due: number
  readonly callback: () => void
  readonly awake: boolean
  readonly #queue: TimerQueue

  constructor(queue: TimerQueue, due: number, callback: () => void, awake: boolean) {
    this.#queue = queue
    this.due = due
    this.callback = callback
    this.awake = awake
  }

  cancel(): void {
    this.#queue.cancel(this)
  }
}

/** Timers in firing order: by due time, equal ones in order of their start. Every clock uses it. */
export class TimerQueue {
  readonly #timers: WaitingTimer[] = []
  readonly #onEmptied: (() => void) | undefined

  /** `onEmptied` is called when the last waiting timer is cancelled. */
  constructor(onEmptied?: () => void) {
    this.#onEmptied = onEmptied
  }

  get size(): number {
    return this.#timers.length
  }

  /** When the next one is due; undefined without timers. */
  get nextDue(): number | undefined {
    return this.#timers[0]?.due
  }

  /** Whether the next one needs the loop to stay awake. */
  get nextAwake(): boolean {
    return this.#timers[0]?.awake === true
  }

  /** Runs `callback` once, `delayMs` (not negative) after `now`. Throws `RangeError` for a delay that is not a number. */
  add(now: number, delayMs: number, callback: () => void, awake = false): Timer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in milliseconds, not NaN')
    const timer = new WaitingTimer(this, now + Math.max(0, delayMs), callback, awake)
    // Most new timers are due after the others.
    this.#timers.splice(this.#timers.findLastIndex(({ due }) => due <= timer.due) + 1, 0, timer)
    return timer
  }

  /** Fires the next timer if it is due at `now`; returns false if none is. An error of the callback goes to the caller. */
  fireNext(now: number): boolean {
    const [next] = this.#timers
    if (next === undefined || next.due > now) return false
    this.#timers.shift()
    next.callback()
    return true
  }

  /** Removes a timer of this queue if it still waits. */
  cancel(timer: WaitingTimer): void {
    const place = this.#timers.lastIndexOf(timer)
    if (place < 0) return
    this.#timers.splice(place, 1)
    if (this.#timers.length === 0) this.#onEmptied?.()
  }
}

/** Only in Node.js; this package also runs in browsers. */
declare const process: { readonly hrtime: { bigint(): bigint } }

/** Microseconds of the system's monotonic clock (CLOCK_MONOTONIC), which is the same for every process of the machine. Not in browsers. */
export function monotonicMicroseconds(): bigint {
  return process.hrtime.bigint() / 1000n
}

/** Largest delay that one system timer takes (2³¹ − 1 ms); longer ones are chained. */
const MAX_SYSTEM_TIMER_MS = 2_147_483_647
/** Usual lateness of a system timer beyond its whole millisecond. A timer with `awake` wakes up so much earlier. */
const USUAL_LATENESS_MS = 0.3

/**
 * Real time. Its timers never fire early and keep their order, including fractions of a millisecond. System timers count whole
 * milliseconds and do neither: one of them wakes this clock for the timers that are due.
 */
export class SystemClock implements Clock {
  readonly #timers = new TimerQueue(() => this.#disarm())
  readonly #maxLatenessMs: number
  readonly #monotonic: () => number
  /** Time before this clock began, and time that was spent in stalls, in ms. */
  #stalledMs: number
  #wakeUp: ReturnType<typeof setTimeout> | undefined
  #wakeUpAt = Number.POSITIVE_INFINITY
  /** Whether the event loop's next turn checks for due timers. */
  #turning = false

  /**
   * With `maxLatenessMs` time waits for its timers: it never gets further than that beyond a due timer, so a process that was stopped
   * continues where it was. `monotonic` is the source of time, in ms; the default counts from the creation of this clock.
   */
  constructor(options: { readonly maxLatenessMs?: number; readonly monotonic?: () => number } = {}) {
    this.#maxLatenessMs = options.maxLatenessMs ?? Number.POSITIVE_INFINITY
    this.#monotonic = options.monotonic ?? performance.now.bind(performance)
    this.#stalledMs = options.monotonic === undefined ? performance.now() : 0
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
    if (delayMs < 1) this.#checkNextTurn()
    else this.#wakeUp = setTimeout(() => this.#fireDue(), Math.min(delayMs, MAX_SYSTEM_TIMER_MS))
  }

  #checkNextTurn(): void {
    if (this.#turning) return
    this.#turning = true
    void nextTurn().then(() => {
      this.#turning = false
      this.#fireDue()
    })
  }

  /** No timer is left: the process may end. */
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

/** The date, in milliseconds since 1970 (UTC), for people and certificates. For timing use `Clock`: the date may jump. */
export type WallTime = () => number

/** The date of the system. */
export const systemWallTime: WallTime = () => Date.now()

/** A date in ISO 8601, in UTC, with milliseconds: `2026-11-21T14:26:56.000Z`. */
export function isoTime(wallTimeMs: number): string {
  return new Date(wallTimeMs).toISOString()
}

/** Milliseconds since 1970 of an ISO 8601 date; NaN for an invalid one. */
export function fromIsoTime(text: string): number {
  return Date.parse(text)
}
