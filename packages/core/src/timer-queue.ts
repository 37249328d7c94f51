/** A timer that has been started; `cancel` is safe at any moment, also after it fired. */
export interface Timer {
  cancel(): void
}

/** In a process with many devices there are thousands of these, each for a moment: what a timer needs is in one object. */
class WaitingTimer implements Timer {
  readonly due: number
  /** Which of the timers of its queue it is: those that are due at one moment fire in the order of their start. */
  readonly number: number
  readonly callback: () => void
  readonly awake: boolean
  /** Its place in the heap; none once it has fired or was cancelled. */
  place: number | undefined
  readonly #queue: TimerQueue

  constructor(queue: TimerQueue, due: number, number: number, callback: () => void, awake: boolean) {
    this.#queue = queue
    this.due = due
    this.number = number
    this.callback = callback
    this.awake = awake
  }

  cancel(): void {
    this.#queue.cancel(this)
  }

  isBefore(other: WaitingTimer): boolean {
    return this.due < other.due || (this.due === other.due && this.number < other.number)
  }
}

/** Timers in the order in which they fire: by due time, equal ones in order of their start. What every clock is made of. */
export class TimerQueue {
  /** A binary heap: none is before the one at half its place. */
  readonly #heap: WaitingTimer[] = []
  readonly #onEmptied: (() => void) | undefined
  #started = 0

  /** `onEmptied` is called when the last timer that waited has been cancelled. */
  constructor(onEmptied?: () => void) {
    this.#onEmptied = onEmptied
  }

  get size(): number {
    return this.#heap.length
  }

  /** When the next one is due; undefined when none waits. */
  get nextDue(): number | undefined {
    return this.#heap[0]?.due
  }

  /** Whether the next one is to be waited for awake. */
  get nextAwake(): boolean {
    return this.#heap[0]?.awake === true
  }

  /** Has `callback` fired once, `delayMs` (not negative) after `now`. Throws `RangeError` for a delay that is not a number. */
  add(now: number, delayMs: number, callback: () => void, awake = false): Timer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in milliseconds, not NaN')
    const timer = new WaitingTimer(this, now + Math.max(0, delayMs), this.#started++, callback, awake)
    this.#rise(timer, this.#heap.length)
    return timer
  }

  /** Fires the next timer if it is due at `now`; false when none was. What the callback throws goes to the caller. */
  fireNext(now: number): boolean {
    const next = this.#heap[0]
    if (next === undefined || next.due > now) return false
    this.#remove(0)
    next.place = undefined
    next.callback()
    return true
  }

  /** Takes a timer of this queue out, if it still waits. */
  cancel(timer: WaitingTimer): void {
    if (timer.place === undefined) return
    this.#remove(timer.place)
    timer.place = undefined
    if (this.#heap.length === 0) this.#onEmptied?.()
  }

  /** The last timer takes the place that becomes free, and goes on from there to where it belongs. */
  #remove(place: number): void {
    const last = this.#heap.pop()
    if (last === undefined || place === this.#heap.length) return
    const above = this.#heap[(place - 1) >> 1]
    if (place > 0 && above !== undefined && last.isBefore(above)) this.#rise(last, place)
    else this.#sink(last, place)
  }

  #rise(timer: WaitingTimer, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const other = this.#heap[above] as WaitingTimer
      if (!timer.isBefore(other)) break
      this.#put(other, place)
      place = above
    }
    this.#put(timer, place)
  }

  #sink(timer: WaitingTimer, from: number): void {
    let place = from
    for (;;) {
      const left = this.#heap[2 * place + 1]
      if (left === undefined) break
      const right = this.#heap[2 * place + 2]
      const first = right?.isBefore(left) === true ? right : left
      if (timer.isBefore(first)) break
      const below = first === left ? 2 * place + 1 : 2 * place + 2
      this.#put(first, place)
      place = below
    }
    this.#put(timer, place)
  }

  #put(timer: WaitingTimer, place: number): void {
    this.#heap[place] = timer
    timer.place = place
  }
}
