/** A running timer; `cancel` is allowed at any moment, also after it fired. */
export interface Timer {
  cancel(): void
}

/** With many devices there are thousands of these for a short time each: one object holds everything. */
class WaitingTimer implements Timer {
  readonly due: number
  /** Its number in the queue: timers due at one moment fire in the order of their start. */
  readonly number: number
  readonly callback: () => void
  readonly awake: boolean
  /** Its place in the heap; undefined once it has fired or was cancelled. */
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

/** Timers in firing order: by due time, equal ones in order of their start. Every clock uses it. */
export class TimerQueue {
  /** A binary heap: no timer is due before the one at half its place. */
  readonly #heap: WaitingTimer[] = []
  readonly #onEmptied: (() => void) | undefined
  #started = 0

  /** `onEmptied` is called when the last waiting timer is cancelled. */
  constructor(onEmptied?: () => void) {
    this.#onEmptied = onEmptied
  }

  get size(): number {
    return this.#heap.length
  }

  /** When the next one is due; undefined without timers. */
  get nextDue(): number | undefined {
    return this.#heap[0]?.due
  }

  /** Whether the next one needs the loop to stay awake. */
  get nextAwake(): boolean {
    return this.#heap[0]?.awake === true
  }

  /** Runs `callback` once, `delayMs` (not negative) after `now`. Throws `RangeError` for a delay that is not a number. */
  add(now: number, delayMs: number, callback: () => void, awake = false): Timer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in milliseconds, not NaN')
    const timer = new WaitingTimer(this, now + Math.max(0, delayMs), this.#started++, callback, awake)
    this.#rise(timer, this.#heap.length)
    return timer
  }

  /** Fires the next timer if it is due at `now`; returns false if none is. An error of the callback goes to the caller. */
  fireNext(now: number): boolean {
    const next = this.#heap[0]
    if (next === undefined || next.due > now) return false
    this.#remove(0)
    next.place = undefined
    next.callback()
    return true
  }

  /** Removes a timer of this queue if it still waits. */
  cancel(timer: WaitingTimer): void {
    if (timer.place === undefined) return
    this.#remove(timer.place)
    timer.place = undefined
    if (this.#heap.length === 0) this.#onEmptied?.()
  }

  /** The last timer moves to the free place, and from there to its correct place. */
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
