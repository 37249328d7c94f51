import type { Clock, Timer } from '@slotwire/core'

/** Modules that were usable when the device went down, and are not yet again. */
export class AwaitedSlots {
  readonly #clock: Clock
  readonly #slots = new Set<number>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether any is still awaited. */
  get any(): boolean {
    return this.#slots.size > 0
  }

  /** The device went down: these are to come back. */
  add(slots: Iterable<number>): void {
    this.#timer?.cancel()
    for (const slot of slots) this.#slots.add(slot)
  }

  /** The device is up: who is not back within `deadlineMs` is awaited no longer. */
  startDeadline(deadlineMs: number): void {
    this.#timer?.cancel()
    if (this.any) this.#timer = this.#clock.after(deadlineMs, () => this.clear())
  }

  returned(slot: number): void {
    this.#slots.delete(slot)
    if (!this.any) this.#timer?.cancel()
  }

  clear(): void {
    this.#slots.clear()
    this.#timer?.cancel()
  }
}
