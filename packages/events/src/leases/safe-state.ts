import { type Clock, withDeadline } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

/**
 * Longest time of a reset to the safe state, in milliseconds of the module's time. Then the module gets no more heartbeats, and has fallen
 * to SUSPEND a second later.
 */
export const SAFE_STATE_MS = 150

export type SafeStateResult = 'applied' | 'given-up'

/** Resets a module ahead of its queue. Calls `onSafe` before the next job runs. Gives up a module that does not obey. Never rejects. */
export async function applySafeState(slot: SlotApi, clock: Clock, onSafe: () => void): Promise<SafeStateResult> {
  const reset = slot.write(
    async (exchange) => {
      await slot.reset(exchange)
      onSafe()
    },
    { turn: 'ahead' },
  )
  try {
    await withDeadline(clock, SAFE_STATE_MS, reset, 'not reset')
    return 'applied'
  } catch {
    await slot.giveUp()
    onSafe()
    return 'given-up'
  }
}
