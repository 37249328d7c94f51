import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

/** Time for which a value may be cached; spec IO rule 7. */
export const CACHE_MS = 1000

/** Most replies cached per slot: more than a module type has readings. The oldest is dropped first. */
export const MAX_CACHE_ENTRIES = 64

/** A reply as text, with the time of its reading. */
export interface CachedReply {
  readonly body: string
  readonly readAtMs: number
  /** Generation of the cache at the start of the reading. */
  readonly generation: number
}

/** Cached replies of one slot, by endpoint and parameters. Any event of the slot clears them. */
class SlotCache {
  readonly #replies = new Map<string, CachedReply>()
  #generation = 0

  constructor(
    slot: SlotApi,
    private readonly clock: Clock,
  ) {
    slot.subscribe(() => {
      this.#generation++
      this.#replies.clear()
    })
  }

  /** The reply if it is less than a second old. */
  get(key: string): string | undefined {
    const reply = this.#replies.get(key)
    return reply !== undefined && this.clock.now() - reply.readAtMs < CACHE_MS ? reply.body : undefined
  }

  /** Call this at the start of a reading, and the returned function at its end. */
  begin(): (body: string) => CachedReply {
    const generation = this.#generation
    return (body) => ({ body, readAtMs: this.clock.now(), generation })
  }

  /** Stores a reply, unless a slot event occurred since its reading started. */
  put(key: string, reply: CachedReply): void {
    if (reply.generation !== this.#generation) return
    // Insert again, so that the key counts as the newest.
    this.#replies.delete(key)
    this.#replies.set(key, reply)
    const [oldest] = this.#replies.keys()
    if (this.#replies.size > MAX_CACHE_ENTRIES && oldest !== undefined) this.#replies.delete(oldest)
  }
}

/** Caches by slot object: a module that returns is another object. */
export class SlotCaches {
  readonly #caches = new WeakMap<SlotApi, SlotCache>()

  constructor(private readonly clock: Clock) {}

  of(slot: SlotApi): SlotCache {
    const cache = this.#caches.get(slot) ?? new SlotCache(slot, this.clock)
    this.#caches.set(slot, cache)
    return cache
  }
}
