import type { Clock, Log, SlotLink } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'

/**
 * Longest wait for a link to close, in milliseconds: it takes some 200 (wire-protocol.md section 3). Together with what running requests
 * may take before (`closeMs` of the service) it stays below the two seconds in which everything ends.
 */
export const CLOSE_DEADLINE_MS = 400

/** Gives a module up. Never rejects and never hangs: whoever waits for it has no use for either, so failures go to the log. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log): Promise<void> {
  try {
    await withDeadline(clock, CLOSE_DEADLINE_MS, link.close(), 'not closed')
  } catch (error) {
    log.warn({ slot: link.slot, err: error }, 'the link could not be closed')
  }
}
