import type { Clock, Log, SlotLink } from '@slotwire/core'
import { withDeadline } from './deadline.ts'

/** Longest wait for a link to close, in milliseconds. */
export const CLOSE_DEADLINE_MS = 1000

/** Gives a module up. Never rejects and never hangs: whoever waits for it has no use for either, so failures go to the log. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log): Promise<void> {
  try {
    await withDeadline(clock, CLOSE_DEADLINE_MS, link.close(), () => new Error(`not closed within ${CLOSE_DEADLINE_MS} ms`))
  } catch (error) {
    log.warn({ slot: link.slot, err: error }, 'the link could not be closed')
  }
}
