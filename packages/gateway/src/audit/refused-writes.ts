import type { Clock, Timer } from '@slotwire/core'
import type { AuditEntry } from './audit-log.ts'

/** The action of an entry for a request with an effect. */
export const WRITE = 'write'

/** Of each token's refused writes in a minute so many are written down whole; the others are counted. */
export const WHOLE_PER_MINUTE = 5
const MINUTE_MS = 60_000
/** Tokens whose refused writes are counted at the same time; for one more the oldest count is written down early. */
export const MOST_COUNTED = 1000

/** What is known of one token's refused writes since its first one. */
interface Count {
  readonly entry: AuditEntry
  whole: number
  /** How many with which result, beyond those that were written down whole. */
  readonly more: Map<string, number>
  readonly timer: Timer
}

/** Whether a write changed nothing: its HTTP status is no success. */
export function isRefusedWrite({ action, result }: AuditEntry): boolean {
  return action === WRITE && typeof result === 'number' && (result < 200 || result > 299)
}

/** Makes of a flood of refused writes a few entries a minute, token by token: nobody without rights can push out what others did. */
export class RefusedWrites {
  readonly #clock: Clock
  readonly #write: (entry: AuditEntry) => void
  readonly #counts = new Map<string, Count>()
  #closed = false

  /** `write` is given what is to be written down. */
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

  /** Writes down what was counted; what comes later is written down at once. */
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
    // Of many only what they have in common is said: each may have come from somewhere else.
    const { who, token } = count.entry
    const more = [...count.more.values()].reduce((sum, each) => sum + each, 0)
    const what = { more, statuses: Object.fromEntries(count.more) }
    this.#write({ who, ...(token === undefined ? {} : { token }), action: WRITE, what, result: 'refused' })
  }
}
