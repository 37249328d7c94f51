import { coreErrors, LinkError, type Log, type SlotwireError } from '@slotwire/core'
import { type AnyCommand, type Command, decodeResponse, encodeRequest, ModuleRefusal, SdbpError } from '@slotwire/sdbp'
import type { SlotStatistics } from './slot-statistics.ts'

/** How often a failed exchange is repeated; wire-protocol.md section 3. */
export const RETRY_LIMIT = 3

/** What retrying needs from its slot. */
export interface RetryContext {
  readonly slot: number
  readonly log: Log
  readonly statistics: SlotStatistics
  /** One transfer; rejects with `LinkError`. */
  send(payload: Uint8Array): Promise<Uint8Array>
  /** Why the slot has ended; undefined while it lives. */
  givenUp(): SlotwireError | undefined
}

/**
 * Sends one command, with retries where they are safe. Throws `ModuleRefusal` unchanged, `moduleFailed` without an answer,
 * `moduleAnswerInvalid` without a valid one, and the slot's own reason when it has ended.
 */
export async function exchangeWithRetries<Request, Response>(
  context: RetryContext,
  command: Command<Request, Response>,
  request: Request,
): Promise<Response> {
  const payload = encodeRequest(command, request)
  for (let attempt = 1; ; attempt++) {
    try {
      return decodeResponse(command, await context.send(payload))
    } catch (error) {
      if (error instanceof ModuleRefusal || !isTransportFailure(error)) throw error
      if (error instanceof SdbpError) context.statistics.failures.garbled++
      const last = !command.repeatable || attempt > RETRY_LIMIT || !isWorthRepeating(error)
      if (last) throw context.givenUp() ?? finalError(context.slot, command, attempt, error)
      context.statistics.retries++
      context.log.warn(
        { slot: context.slot, command: command.name, attempt, reason: error.message },
        'exchange failed, trying again',
      )
    }
  }
}

function isTransportFailure(error: unknown): error is LinkError | SdbpError {
  return error instanceof LinkError || error instanceof SdbpError
}

function isWorthRepeating(error: LinkError | SdbpError): boolean {
  return error instanceof SdbpError || error.failure === 'transfer-failed' || error.failure === 'busy'
}

function finalError(slot: number, command: AnyCommand, attempts: number, cause: LinkError | SdbpError): SlotwireError {
  if (cause instanceof LinkError) return coreErrors.moduleFailed({ slot, command: command.name, attempts }, { cause })
  return coreErrors.moduleAnswerInvalid({ slot, command: command.name }, { cause })
}
