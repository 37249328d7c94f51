/** A timer that has been started; `cancel` is safe at any moment, also after it fired. */
export interface Timer {
  cancel(): void
}

interface Waiting {
  readonly due: number
  readonly callback: () => void
  waiting: boolean
}

/** Timers in the order in which they fire: by due time, equal ones in order of their start. What every clock is made of. */
export class TimerQueue {
  readonly #waiting: Waiting[] = []

  get size(): number {
    return this.#waiting.length
  }

  /** When the next one is due; undefined when none waits. */
  get nextDue(): number | undefined {
    return this.#waiting[0]?.due
  }

  /** Has `callback` fired once, `delayMs` (not negative) after `now`. Throws `RangeError` for a delay that is not a number. */
  add(now: number, delayMs: number, callback: () => void): Timer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in milliseconds, not NaN')
    const entry: Waiting = { due: now + Math.max(0, delayMs), callback, waiting: true }
    this.#waiting.splice(this.#placeAfter(entry.due), 0, entry)
    return { cancel: () => this.#cancel(entry) }
  }

  /** Fires the next timer if it is due at `now`; false when none was. What the callback throws goes to the caller. */
  fireNext(now: number): boolean {
    const next = this.#waiting[0]
    if (next === undefined || next.due > now) return false
    this.#waiting.shift()
    next.waiting = false
    next.callback()
    return true
  }

  #cancel(entry: Waiting): void {
    if (!entry.waiting) return
    entry.waiting = false
    let index = this.#placeAfter(entry.due) - 1
    while (this.#waiting[index] !== entry) index--
    this.#waiting.splice(index, 1)
  }

  /** Index of the first timer that is due later than `due`. */
  #placeAfter(due: number): number {
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
