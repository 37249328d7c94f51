import type { Clock, Log, SlotLink } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'

/**
 * Longest wait for a link to close, in milliseconds; it takes about 200 (wire-protocol.md section 3). Together with the time for running
 * requests (`closeMs` of the service) it stays below the two seconds in which everything ends.
 */
export const CLOSE_DEADLINE_MS = 400

/** The same for a module that does not answer: its descriptor is read in vain, and one file after the other is closed. */
export const HUNG_CLOSE_DEADLINE_MS = 1500

/** Closes a link. Never rejects or hangs, as callers could do nothing about it; failures are logged. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log, deadlineMs = CLOSE_DEADLINE_MS): Promise<void> {
  try {
    await withDeadline(clock, deadlineMs, link.close(), 'not closed')
  } catch (error) {
    log.warn({ slot: link.slot, err: error }, 'the link could not be closed')
  }
}
