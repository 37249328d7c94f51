import type { Effect } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ServiceContext } from '../service-context.ts'
import type { WriteTarget } from '../write-journal.ts'
import type { ReadBody } from './body.ts'
import type { Caller } from './caller.ts'
import type { ErrorContext } from './client-error.ts'
import { sendOutcome } from './delivery.ts'
import { departureOf, requestAbandoned } from './departure.ts'
import { loggedPath, type Sender } from './request.ts'
import type { Handle } from './routes.ts'

/** The target of a path. */
interface ChangedPlace {
  /** The module, for the log. */
  readonly slot?: { readonly slot: number; readonly session: string }
  readonly parameters: Readonly<Record<string, number>>
}

/** A write, or a request with a body. */
interface Change<Target> {
  readonly effect: Effect
  /** Undefined: it is outside the API of the modules. */
  readonly of?: Pick<WriteTarget, 'service' | 'endpoint'>
  /** Throws if the target does not exist. */
  readonly locate: (values: readonly string[], caller: Caller | undefined) => Target
  readonly bodyOf: ReadBody
  readonly run: (target: Target, body: unknown, sender: Sender) => unknown
  readonly errors: ErrorContext
}

/**
 * Handles an endpoint that changes something or takes a body. Checks rights, target and body, in the order of behaviour.md. Logs every
 * change and records it with its caller, whether it succeeded or not.
 */
export function changeHandler<Target extends ChangedPlace>(
  { effect, of, locate, bodyOf, run, errors }: Change<Target>,
  context: ServiceContext,
): Handle {
  const { doorTime, running, log, recordWrite } = context
  const changes = effect !== 'read'
  return async (request, response, { values, caller }) => {
    const startedMs = doorTime.now()
    let target: Target | undefined
    let body: unknown
    const refusal = await running.run(request, response, errors, async () => {
      if (changes && caller?.readOnly === true) throw coreErrors.readOnly()
      target = locate(values, caller)
      body = await bodyOf(request, response)
      sendOutcome(
        request,
        response,
        await run(target, body, { caller, headers: request.headers, departure: departureOf(request, response) }),
      )
    })
    if (!changes) return
    const durationMs = doorTime.now() - startedMs
    const status = response.statusCode
    const slot = target?.slot === undefined ? {} : { slot: target.slot.slot }
    // Log the code, not the message: the message may quote the client, even a secret.
    const refused = refusal === undefined ? {} : { refused: refusal.code }
    log.info(
      { method: request.method, path: loggedPath(request), ...slot, status, ms: Math.round(durationMs), ...refused },
      'write',
    )
    const module = target?.slot === undefined ? {} : { slot: target.slot.slot, session: target.slot.session }
    recordWrite(request, caller, {
      status,
      durationMs,
      ...(of === undefined ? {} : { target: { ...of, ...module } }),
      ...(body === undefined ? {} : { body }),
      ...(refusal?.definition === requestAbandoned.definition ? { isAbandoned: true } : {}),
    })
  }
}
