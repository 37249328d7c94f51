import type { Clock, Log, SlotLink } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'

/**
 * Longest wait for a link to close when the driver stops, in milliseconds. Together with the time for running requests (`closeMs` of the
 * service) it stays below the two seconds in which everything ends.
 */
export const CLOSE_DEADLINE_MS = 400

/** The same while the driver runs. The kernel takes 560 ms for a module that left or does not answer, and closes one after the other on a bus. */
export const SLOW_CLOSE_DEADLINE_MS = 2500

/** Closes a link. Never rejects or hangs, as callers could do nothing about it; failures are logged, but not those of a stop. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log, isStopping = false): Promise<void> {
  try {
    await withDeadline(clock, isStopping ? CLOSE_DEADLINE_MS : SLOW_CLOSE_DEADLINE_MS, link.close(), 'not closed')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log[isStopping ? 'debug' : 'warn']({ slot: link.slot, reason }, 'the link could not be closed')
  }
}
