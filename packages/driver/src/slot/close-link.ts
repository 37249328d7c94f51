import type { Clock, Log, SlotLink } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'

/**
 * Longest wait for a link to close, in milliseconds; it takes about 200 (wire-protocol.md section 3). Together with the time for running
 * requests (`closeMs` of the service) it stays below the two seconds in which everything ends.
 */
export const CLOSE_DEADLINE_MS = 400

/** Closes a link. Never rejects or hangs, as callers could do nothing about it; failures are logged. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log): Promise<void> {
  try {
    await withDeadline(clock, CLOSE_DEADLINE_MS, link.close(), 'not closed')
  } catch (error) {
    log.warn({ slot: link.slot, err: error }, 'the link could not be closed')
  }
}
