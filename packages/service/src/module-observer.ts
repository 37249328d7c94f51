import { coreErrors, SlotwireError } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { CheckedRequest } from './module-service.ts'

/** Learns what modules acknowledged and answered. Its methods return at once and never throw. */
export interface ModuleObserver {
  /** A write has ended. `session`: that of the module at its begin. `reply`: undefined if it failed, and may have changed something. */
  written(slot: SlotApi, write: { endpoint: string; session: string; request: CheckedRequest; reply: unknown }): void
  /** A module gave this reply to a reading. */
  answered(slot: SlotApi, endpoint: string, reply: unknown): void
}

const BEFORE_THE_MODULE: readonly unknown[] = [coreErrors.queueFull, coreErrors.stopping].map(({ definition }) => definition)
const INTERNAL_STATUS = 500

/** Runs a write and reports its end to the observer, before later writes of the slot end. */
export async function observedWrite(
  observer: ModuleObserver,
  slot: SlotApi,
  { endpoint, request, work }: { endpoint: string; request: CheckedRequest; work: () => unknown },
): Promise<unknown> {
  const { session } = slot
  let reply: unknown
  try {
    reply = await work()
  } catch (error) {
    if (mayHaveChanged(error)) observer.written(slot, { endpoint, session, request, reply: undefined })
    throw error
  }
  observer.written(slot, { endpoint, session, request, reply })
  return reply
}

/** Whether a failed write may have changed the module: it did not refuse it, and the write did not fail before it. */
function mayHaveChanged(error: unknown): boolean {
  if (error instanceof ModuleRefusal) return false
  if (!(error instanceof SlotwireError)) return true
  const isRefused = error.status < INTERNAL_STATUS || error.cause instanceof ModuleRefusal
  return !isRefused && !BEFORE_THE_MODULE.includes(error.definition)
}
