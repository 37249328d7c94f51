import type { Clock, Timer } from '@slotwire/core'
import type { AuditEntry } from './audit-log.ts'

/** The action of an entry for a request with an effect. */
export const WRITE = 'write'

/** Refused writes per token and minute that are written in full; the others are counted. */
export const WHOLE_PER_MINUTE = 5
const MINUTE_MS = 60_000
/** Tokens counted at the same time; for one more, the oldest count is written early. */
export const MOST_COUNTED = 1000

/** A token's refused writes in the current minute. */
interface Count {
  readonly entry: AuditEntry
  whole: number
  /** Counted writes by result; those written in full are not included. */
  readonly more: Map<string, number>
  readonly timer: Timer
}

/** True for a write whose HTTP status is not a success. */
export function isRefusedWrite({ action, result }: AuditEntry): boolean {
  return action === WRITE && typeof result === 'number' && (result < 200 || result > 299)
}

/** Turns a flood of refused writes into a few entries a minute per token: a client without rights cannot push out other entries. */
export class RefusedWrites {
  readonly #clock: Clock
  readonly #write: (entry: AuditEntry) => void
  readonly #counts = new Map<string, Count>()
  #closed = false

  /** `write` gets the entries to write. */
  constructor(clock: Clock, write: (entry: AuditEntry) => void) {
    this.#clock = clock
    this.#write = write
  }

  add(entry: AuditEntry): void {
    if (this.#closed) {
      this.#write(entry)
      return
    }
    const key = entry.token ?? entry.who
    const count = this.#counts.get(key) ?? this.#begin(key, entry)
    if (count.whole < WHOLE_PER_MINUTE) {
      count.whole++
      this.#write(entry)
      return
    }
    const result = String(entry.result)
    count.more.set(result, (count.more.get(result) ?? 0) + 1)
  }

  /** Writes the pending counts; later entries are written at once. */
  close(): void {
    this.#closed = true
    for (const key of this.#counts.keys()) this.#end(key)
  }

  #begin(key: string, entry: AuditEntry): Count {
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined && this.#counts.size >= MOST_COUNTED) this.#end(oldest)
    const timer = this.#clock.after(MINUTE_MS, () => this.#end(key))
    const count = { entry, whole: 0, more: new Map<string, number>(), timer }
    this.#counts.set(key, count)
    return count
  }

  #end(key: string): void {
    const count = this.#counts.get(key)
    if (count === undefined) return
    count.timer.cancel()
    this.#counts.delete(key)
    if (count.more.size === 0) return
    // The entry holds only what all counted writes share: their addresses may differ.
    const { who, token } = count.entry
    const more = [...count.more.values()].reduce((sum, each) => sum + each, 0)
    const what = { more, statuses: Object.fromEntries(count.more) }
    this.#write({ who, ...(token === undefined ? {} : { token }), action: WRITE, what, result: 'refused' })
  }
}
