import type { Clock, Timer } from './clock.ts'
import { sleepOn } from './clock.ts'

interface Waiting {
  readonly due: number
  readonly callback: () => void
  cancelled: boolean
}

/** A clock that stands still until `advance` moves it: tests and fast simulations. */
export class ManualClock implements Clock {
  #now: number
  readonly #epoch: number
  /** Sorted by due time, earliest first; equal ones in order of their start. */
  readonly #waiting: Waiting[] = []

  constructor(options: { startMs?: number; epochMs?: number } = {}) {
    this.#now = options.startMs ?? 0
    this.#epoch = options.epochMs ?? Date.UTC(2026, 0, 1)
  }

  now(): number {
    return this.#now
  }

  date(): number {
    return this.#epoch + this.#now
  }

  /** How many timers are running: a test's view on leaks. */
  get pending(): number {
    return this.#waiting.length
  }

  after(delayMs: number, callback: () => void): Timer {
    const entry: Waiting = { due: this.#now + Math.max(0, delayMs), callback, cancelled: false }
    this.#waiting.splice(this.#placeFor(entry.due), 0, entry)
    return {
      cancel: () => {
        if (entry.cancelled) return
        entry.cancelled = true
        const index = this.#waiting.indexOf(entry)
        if (index >= 0) this.#waiting.splice(index, 1)
      },
    }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  /**
   * Moves the time on by `ms`, firing every timer on the way in its order. After each moment at which timers fired, and once
   * before and after, everything that is ready to run is let run to its end.
   */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms
    await settle()
    for (let next = this.#waiting[0]; next !== undefined && next.due <= target; next = this.#waiting[0]) {
      this.#now = Math.max(this.#now, next.due)
      this.#fireDue()
      await settle()
    }
    this.#now = target
    await settle()
  }

  #fireDue(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.due <= this.#now; next = this.#waiting[0]) {
      this.#waiting.shift()
      next.cancelled = true
      next.callback()
    }
  }

  #placeFor(due: number): number {
    let low = 0
    let high = this.#waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#waiting[middle] as Waiting).due <= due) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Lets pending promise callbacks and already due system work run. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}
