/** A timer that has been started; `cancel` is safe at any moment, also after it fired. */
export interface Timer {
  cancel(): void
}

/**
 * The only way to time in the project. `now` is monotonic, in milliseconds with fractions, and says nothing about the date.
 * Callbacks run in order of their due time; equal due times in order of their start.
 */
export interface Clock {
  now(): number
  /** The date, in milliseconds since 1970-01-01 UTC: for people and file names, never for measuring. */
  date(): number
  /** Runs `callback` once, `delayMs` (0 or more) from now. The timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer
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

/** Largest delay that one system timer takes (2³¹ − 1 ms); longer ones are chained. */
const LONGEST_SYSTEM_TIMER_MS = 2_147_483_647

/** Real time. */
export class SystemClock implements Clock {
  now(): number {
    return performance.now()
  }

  date(): number {
    return Date.now()
  }

  after(delayMs: number, callback: () => void): Timer {
    const due = this.now() + delayMs
    let handle: ReturnType<typeof setTimeout> | undefined
    const arm = (): void => {
      const left = due - this.now()
      handle = setTimeout(left > LONGEST_SYSTEM_TIMER_MS ? arm : callback, Math.min(left, LONGEST_SYSTEM_TIMER_MS))
      if (typeof handle === 'object') handle.unref()
    }
    arm()
    return { cancel: () => clearTimeout(handle) }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }
}
