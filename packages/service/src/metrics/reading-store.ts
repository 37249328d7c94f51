import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

/** Readings older than this, in milliseconds, are omitted: they no longer describe the module. */
export const READING_STALE_MS = 300_000

/** The last reply of an endpoint, and its age. */
export interface Reading {
  readonly reply: unknown
  readonly ageMs: number
}

interface Kept {
  readonly reply: unknown
  readonly readAtMs: number
}

/** The last readings of each module, from requests and refreshes. Readings of a lost module are dropped with its slot object. */
export class ReadingStore {
  readonly #clock: Clock
  readonly #bySlot = new WeakMap<SlotApi, Map<string, Kept>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Stores the reply of an endpoint in place of the previous one. */
  keep(slot: SlotApi, endpoint: string, reply: unknown): void {
    const kept = this.#bySlot.get(slot) ?? new Map<string, Kept>()
    kept.set(endpoint, { reply, readAtMs: this.#clock.now() })
    this.#bySlot.set(slot, kept)
  }

  /** Undefined if there is no reading younger than `READING_STALE_MS`. */
  get(slot: SlotApi, endpoint: string): Reading | undefined {
    const kept = this.#bySlot.get(slot)?.get(endpoint)
    if (kept === undefined) return undefined
    const ageMs = this.#clock.now() - kept.readAtMs
    return ageMs < READING_STALE_MS ? { reply: kept.reply, ageMs } : undefined
  }
}
