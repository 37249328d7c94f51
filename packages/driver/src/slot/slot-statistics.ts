import type { LinkFailure } from '@slotwire/core'

/** Upper bounds of the buckets in seconds, 0.1 ms to 10 s; longer times have a separate bucket. */
export const DURATION_BOUNDS_SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

const MS_PER_SECOND = 1000
const boundsMs = Float64Array.from(DURATION_BOUNDS_SECONDS, (seconds) => seconds * MS_PER_SECOND)

/** Counts durations. Adding one is a few comparisons and no allocation, since every request does it. */
export class DurationHistogram {
  /** The count of each bucket; the last one is above all bounds. */
  readonly #counts = new Float64Array(boundsMs.length + 1)
  #sumMs = 0

  add(milliseconds: number): void {
    let index = 0
    // Search from below: most durations are short.
    while (index < boundsMs.length && milliseconds > (boundsMs[index] as number)) index++
    this.#counts[index] = (this.#counts[index] as number) + 1
    this.#sumMs += milliseconds
  }

  /** The number of values. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** The sum of all values in seconds. */
  get sumSeconds(): number {
    return this.#sumMs / MS_PER_SECOND
  }

  /** For each of `DURATION_BOUNDS_SECONDS` the number of values up to it. */
  get cumulative(): readonly number[] {
    let below = 0
    return Array.from(boundsMs, (_, index) => (below += this.#counts[index] as number))
  }
}

/** Why a transaction failed: the link reported it, it did not end in time (`hung`), or its answer was invalid (`garbled`). */
export type TransactionFailure = LinkFailure | 'hung' | 'garbled'

/** Counters of one slot since the process began. They continue when modules come and go: no counter ever falls. */
export class SlotStatistics {
  /** Exchanges begun, including retries and heartbeats. */
  transactions = 0
  readonly failures: Record<TransactionFailure, number> = {
    'transfer-failed': 0,
    busy: 0,
    'too-long': 0,
    gone: 0,
    hung: 0,
    garbled: 0,
  }
  /** Exchanges that repeat a failed one. */
  retries = 0
  /** Heartbeats that the module acknowledged. */
  heartbeats = 0
  failedHeartbeats = 0
  /** Durations of exchanges that ended, successful or not. */
  readonly exchanges = new DurationHistogram()
  /** Jobs refused because too many waited. */
  refusedJobs = 0
  /** Valid notifications. */
  notifications = 0
  /** Device sessions begun: the module started, or may have lost its state. */
  sessions = 0
}
