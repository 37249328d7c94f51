import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Effect } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ServiceContext } from '../service-context.ts'
import { sendOutcome } from './answer.ts'
import type { ErrorContext } from './client-error.ts'
import { type Caller, loggedPath, requestAbandoned } from './request.ts'
import type { Handle } from './routes.ts'
import type { WriteTarget } from './write-records.ts'

/** What an endpoint changes. */
interface Change {
  readonly effect: Effect
  /** Undefined: it is outside the API of the modules. */
  readonly target?: Pick<WriteTarget, 'service' | 'endpoint'>
  readonly errors: ErrorContext
}

interface ChangeRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly values: readonly string[]
  readonly caller: Caller | undefined
}

/** What is known of a change so far. */
interface ChangeRecord {
  /** The module. */
  slot?: { readonly slot: number; readonly session: string }
  body?: unknown
}

/**
 * Handles an endpoint that changes something or takes a body: `change` does the work and returns the reply. Logs every change and records it
 * with its caller, whether it succeeded or not. Throws `readOnly` before anything else.
 */
export function recordedChange(
  { effect, target, errors }: Change,
  { doorTime, running, log, recordWrite }: ServiceContext,
  change: (request: ChangeRequest, record: ChangeRecord) => unknown,
): Handle {
  const changes = effect !== 'read'
  return async (request, response, { values, caller }) => {
    const startedMs = doorTime.now()
    const record: ChangeRecord = {}
    const refusal = await running.run(request, response, errors, async () => {
      if (changes && caller?.readOnly === true) throw coreErrors.readOnly()
      sendOutcome(request, response, await change({ request, response, values, caller }, record))
    })
    if (!changes) return
    const durationMs = doorTime.now() - startedMs
    const status = response.statusCode
    const { slot, body } = record
    // Log the code, not the message: the message may quote the client, even a secret.
    const refused = refusal === undefined ? {} : { refused: refusal.code }
    const module = slot === undefined ? {} : { slot: slot.slot }
    log.info(
      { method: request.method, path: loggedPath(request), ...module, status, ms: Math.round(durationMs), ...refused },
      'write',
    )
    recordWrite(request, caller, {
      status,
      durationMs,
      ...(target === undefined ? {} : { target: { ...target, ...slot } }),
      ...(body === undefined ? {} : { body }),
      ...(refusal?.definition === requestAbandoned.definition ? { isAbandoned: true } : {}),
    })
  }
}
