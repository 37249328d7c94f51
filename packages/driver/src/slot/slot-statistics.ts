import type { LinkFailure } from '@slotwire/core'
import { DurationHistogram } from './duration-histogram.ts'

/** Why a transaction failed: the link said so, it did not end in time (`hung`), or its answer made no sense (`garbled`). */
export type TransactionFailure = LinkFailure | 'hung' | 'garbled'

/** What has happened in one slot since the process began. It outlives the modules that come and go there: no count ever falls. */
export class SlotStatistics {
  /** Exchanges that began, repeated ones and heartbeats included. */
  transactions = 0
  readonly failures: Record<TransactionFailure, number> = {
    'transfer-failed': 0,
    busy: 0,
    'too-long': 0,
    gone: 0,
    hung: 0,
    garbled: 0,
  }
  /** Exchanges that were begun because the one before had failed. */
  retries = 0
  /** Heartbeats that the module acknowledged. */
  heartbeats = 0
  failedHeartbeats = 0
  /** How long exchanges took that came to an end, well or not. */
  readonly exchanges = new DurationHistogram()
  /** Jobs that were refused because too many waited. */
  refusedJobs = 0
  /** Notifications that made sense. */
  notifications = 0
  /** Device sessions that began: the module came up, or may have lost its state. */
  sessions = 0
}
