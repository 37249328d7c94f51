/** Notification bytes that were not delivered yet: bit masks, merged by OR. Bit 0 of each byte belongs to item 1. */
export class PendingNotifications {
  #masks: number[] = []
  #epoch = 0

  /** How often everything has been dropped. Bits taken in an earlier epoch must not be merged back. */
  get epoch(): number {
    return this.#epoch
  }

  /** Merges bytes from the module. Returns whether a bit is pending now that was not. */
  merge(bytes: Uint8Array): boolean {
    let isNew = false
    bytes.forEach((mask, index) => {
      const before = this.#masks[index] ?? 0
      this.#masks[index] = before | mask
      isNew ||= (before | mask) !== before
    })
    return isNew
  }

  /** Whether a bit is pending for item `number` (from 1). */
  has(number: number): boolean {
    return this.#masks.some((mask) => (mask & bitOf(number)) !== 0)
  }

  /** The bits of item `number`, one byte each; does not clear them. */
  peek(number: number): Uint8Array {
    return Uint8Array.from(this.#masks, (mask) => mask & bitOf(number))
  }

  /** Returns and clears the bits of item `number`. If they cannot be delivered, `merge` restores them. */
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
