import { coreErrors, SlotwireError } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { CheckedHandler, CheckedRequest } from './module-service.ts'
import { requestAbandoned } from './pipeline/departure.ts'

/** Learns what modules acknowledged and answered. Its methods return at once and never throw. */
export interface ModuleObserver {
  /** A write has ended. `session`: that of the module at its begin. `reply`: undefined if it failed, and may have changed something. */
  written(slot: SlotApi, write: { endpoint: string; session: string; request: CheckedRequest; reply: unknown }): void
  /** A module gave this reply to a reading. */
  answered(slot: SlotApi, endpoint: string, reply: unknown): void
}

interface ObservedWrite {
  readonly endpoint: string
  readonly request: CheckedRequest
  readonly kind: CheckedHandler['kind']
  readonly work: () => unknown
}

const { queueFull, stopping, requestOvertaken } = coreErrors
const BEFORE_THE_MODULE: readonly unknown[] = [queueFull, stopping, requestOvertaken, requestAbandoned].map(
  ({ definition }) => definition,
)
const INTERNAL_STATUS = 500

/** Runs a write and reports its end to the observer, before later writes of the slot end. */
export async function observedWrite(
  observer: ModuleObserver,
  slot: SlotApi,
  { endpoint, request, kind, work }: ObservedWrite,
): Promise<unknown> {
  const { session } = slot
  let reply: unknown
  try {
    reply = await work()
  } catch (error) {
    if (mayHaveChanged(error, kind)) observer.written(slot, { endpoint, session, request, reply: undefined })
    throw error
  }
  observer.written(slot, { endpoint, session, request, reply })
  return reply
}

/**
 * Whether a failed write may have changed the module: it did not refuse it, and the write did not fail before it. A power configuration that
 * fails has restarted the module, even if the module refused it.
 */
function mayHaveChanged(error: unknown, kind: CheckedHandler['kind']): boolean {
  if (error instanceof SlotwireError && BEFORE_THE_MODULE.includes(error.definition)) return false
  if (kind === 'power') return true
  if (!(error instanceof SlotwireError)) return !(error instanceof ModuleRefusal)
  return error.status >= INTERNAL_STATUS && !(error.cause instanceof ModuleRefusal)
}
