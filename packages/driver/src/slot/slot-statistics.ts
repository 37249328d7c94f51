import type { LinkFailure } from '@slotwire/core'
import { DurationHistogram } from './duration-histogram.ts'

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
