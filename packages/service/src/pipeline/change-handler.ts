import type { Effect } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { ServiceContext } from '../service-context.ts'
import type { ReadBody } from './body.ts'
import type { ErrorContext } from './client-error.ts'
import { sendOutcome } from './delivery.ts'
import { loggedPath } from './request.ts'
import type { Handle } from './routes.ts'

/** What a path names. */
interface ChangedPlace {
  /** The module's, for the log. */
  readonly slot?: { readonly slot: number }
  readonly parameters: Readonly<Record<string, number>>
}

/** What is done for an endpoint that takes a body, or changes something. */
interface Change<Target> {
  readonly effect: Effect
  /** Throws when there is no such thing. */
  readonly locate: (values: readonly string[]) => Target
  readonly bodyOf: ReadBody
  readonly run: (target: Target, body: unknown) => unknown
  readonly errors: ErrorContext
}

/**
 * Answers an endpoint that takes a body, or changes something. Judges in the order of behaviour.md: rights, place, body. A change is logged, and
 * recorded with who made it, whether it was done or refused.
 */
export function changeHandler<Target extends ChangedPlace>(
  { effect, locate, bodyOf, run, errors }: Change<Target>,
  context: ServiceContext,
): Handle {
  const { doorTime, running, log, recordWrite } = context
  const changes = effect !== 'read'
  return async (request, response, { values, caller }) => {
    const startedMs = doorTime.now()
    let target: Target | undefined
    let body: unknown
    const refusal = await running.during(request, response, errors, async () => {
      if (changes && caller?.readOnly === true) throw coreErrors.readOnly()
      target = locate(values)
      body = await bodyOf(request, response)
      sendOutcome(request, response, await run(target, body))
    })
    if (!changes) return
    const durationMs = doorTime.now() - startedMs
    const status = response.statusCode
    if (target !== undefined) {
      const { method } = request
      const slot = target.slot === undefined ? {} : { slot: target.slot.slot }
      // Its code, not its words: these may be the client's, and a secret among them.
      const refused = refusal === undefined ? {} : { refused: refusal.code }
      log.info({ method, path: loggedPath(request), ...slot, status, ms: Math.round(durationMs), ...refused }, 'write')
    }
    recordWrite(request, caller, { status, durationMs, ...(body === undefined ? {} : { body }) })
  }
}
