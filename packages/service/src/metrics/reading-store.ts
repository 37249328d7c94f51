import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

/** How long a reading is told, in milliseconds: what is older says nothing about the module any more. */
export const READING_STALE_MS = 300_000

/** The last reply of an endpoint, and how old it is. */
export interface Reading {
  readonly reply: unknown
  readonly ageMs: number
}

interface Kept {
  readonly reply: unknown
  readonly readAtMs: number
}

/** What was last read from each module, whoever asked for it. A module that is lost takes its readings with it: it returns as another slot. */
export class ReadingStore {
  readonly #clock: Clock
  readonly #bySlot = new WeakMap<SlotApi, Map<string, Kept>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Keeps the reply of an endpoint that has just been read, in place of the one before. */
  keep(slot: SlotApi, endpoint: string, reply: unknown): void {
    const kept = this.#bySlot.get(slot) ?? new Map<string, Kept>()
    kept.set(endpoint, { reply, readAtMs: this.#clock.now() })
    this.#bySlot.set(slot, kept)
  }

  /** Undefined where nothing was read, or nothing less than `READING_STALE_MS` ago. */
  get(slot: SlotApi, endpoint: string): Reading | undefined {
    const kept = this.#bySlot.get(slot)?.get(endpoint)
    if (kept === undefined) return undefined
    const ageMs = this.#clock.now() - kept.readAtMs
    return ageMs < READING_STALE_MS ? { reply: kept.reply, ageMs } : undefined
  }
}
