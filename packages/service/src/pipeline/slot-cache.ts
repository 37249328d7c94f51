import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

/** How long a value may be served again; spec IO rule 7. */
export const CACHE_MS = 1000

/** Replies kept for one slot: more than the readings that a module type has. The oldest makes room for one more. */
export const CACHE_ENTRIES_LIMIT = 64

/** A reply, ready to be sent, and when its value was read from the module. */
export interface CachedReply {
  readonly body: string
  readonly readAtMs: number
  /** Generation of the cache when the reading began. */
  readonly generation: number
}

/** The replies of one slot, by endpoint and parameters; any event of the slot empties it. */
class SlotCache {
  readonly #clock: Clock
  readonly #replies = new Map<string, CachedReply>()
  readonly #unsubscribe: () => void
  #generation = 0

  constructor(slot: SlotApi, clock: Clock, onLost: () => void) {
    this.#clock = clock
    this.#unsubscribe = slot.subscribe((event) => {
      this.#generation++
      this.#replies.clear()
      if (event !== 'lost') return
      this.close()
      onLost()
    })
  }

  close(): void {
    this.#unsubscribe()
  }

  /** The reply if it is less than a second old. */
  get(key: string): string | undefined {
    const reply = this.#replies.get(key)
    return reply !== undefined && this.#clock.now() - reply.readAtMs < CACHE_MS ? reply.body : undefined
  }

  /** To be called where the reading begins; the returned function makes the reply once it has ended. */
  begin(): (body: string) => CachedReply {
    const generation = this.#generation
    return (body) => ({ body, readAtMs: this.#clock.now(), generation })
  }

  /** Keeps a reply, unless something has happened to the slot since its reading began. */
  put(key: string, reply: CachedReply): void {
    if (reply.generation !== this.#generation) return
    // Set anew, a key counts as the youngest.
    this.#replies.delete(key)
    this.#replies.set(key, reply)
    if (this.#replies.size <= CACHE_ENTRIES_LIMIT) return
    for (const oldest of this.#replies.keys()) {
      this.#replies.delete(oldest)
      return
    }
  }
}

export type { SlotCache }

/** The caches of all slots, one per slot object: a module that comes back is another object. */
export class SlotCaches {
  readonly #clock: Clock
  readonly #caches = new Map<SlotApi, SlotCache>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  of(slot: SlotApi): SlotCache {
    const known = this.#caches.get(slot)
    if (known !== undefined) return known
    const cache = new SlotCache(slot, this.#clock, () => this.#caches.delete(slot))
    this.#caches.set(slot, cache)
    return cache
  }

  close(): void {
    for (const cache of this.#caches.values()) cache.close()
    this.#caches.clear()
  }
}
