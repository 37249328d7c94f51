import type { IncomingMessage } from 'node:http'
import type { BackplaneState, Log } from '@slotwire/core'
import { coreErrors, SlotwireError } from '@slotwire/core'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { RefusalMapping } from '../module-service.ts'
import { loggedPath } from './request.ts'

const INTERNAL_STATUS = 500

/** Context for the translation of an error. */
export interface ErrorContext {
  /** While the device restarts, every failure is attributed to the restart. Undefined: the endpoint does not need the device. */
  readonly rack?: { readonly state: BackplaneState } | undefined
  readonly refusal?: RefusalMapping | undefined
  readonly log: Log
}

/** The only place that turns a thrown value into the client's error. Logs failures that the client did not cause. */
export function clientErrorOf(thrown: unknown, request: IncomingMessage, { rack, refusal, log }: ErrorContext): SlotwireError {
  const logged = (): object => ({ method: request.method, path: loggedPath(request), err: thrown })
  if (rack?.state === 'restarting' && !isRefusal(thrown)) return coreErrors.deviceRestarting({ cause: thrown })
  if (thrown instanceof ModuleRefusal) {
    return refusal?.(thrown) ?? coreErrors.commandRefused({ command: thrown.command, reason: thrown.reason }, { cause: thrown })
  }
  if (thrown instanceof SlotwireError) {
    if (thrown.status === INTERNAL_STATUS) log.error(logged(), 'a request failed')
    return thrown
  }
  log.error(logged(), 'a request failed for an unforeseen reason')
  return coreErrors.internal({ cause: thrown })
}

/** An error of the client is reported unchanged, even during a restart. */
function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof ModuleRefusal) return true
  return (
    thrown instanceof SlotwireError && thrown.status < INTERNAL_STATUS && thrown.definition !== coreErrors.moduleLost.definition
  )
}
