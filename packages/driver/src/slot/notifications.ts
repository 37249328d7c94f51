/** Notification bytes that nobody has been told yet: bit masks, merged by OR; bit 0 of each byte stands for item 1. */
export class PendingNotifications {
  #masks: number[] = []
  #epoch = 0

  /** How often everything has been dropped: what was taken in an earlier epoch must not be given back. */
  get epoch(): number {
    return this.#epoch
  }

  /** Adds what came from the module. Whether anything is pending now that was not. */
  merge(bytes: Uint8Array): boolean {
    let isNew = false
    bytes.forEach((mask, index) => {
      const before = this.#masks[index] ?? 0
      this.#masks[index] = before | mask
      isNew ||= (before | mask) !== before
    })
    return isNew
  }

  /** Whether anything is pending for item `number` (from 1). */
  has(number: number): boolean {
    return this.#masks.some((mask) => (mask & bitOf(number)) !== 0)
  }

  /** The bits of item `number`, one byte each, without clearing them. */
  peek(number: number): Uint8Array {
    return Uint8Array.from(this.#masks, (mask) => mask & bitOf(number))
  }

  /** The bits of item `number`, cleared here; `merge` gives them back if they could not be delivered. */
  take(number: number): Uint8Array {
    const taken = this.peek(number)
    this.#masks = this.#masks.map((mask) => mask & ~bitOf(number))
    return taken
  }

  clear(): void {
    this.#masks = []
    this.#epoch++
  }
}

function bitOf(number: number): number {
  return 1 << (number - 1)
}
