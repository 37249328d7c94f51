import type { Log } from '@slotwire/core'
import { coreErrors, SlotwireError } from '@slotwire/core'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { RefusalMapping } from '../module-service.ts'

const INTERNAL_STATUS = 500

/** Where an error happened, as far as its translation depends on it. */
export interface ErrorContext {
  /** The device is away as a whole: whatever failed, failed because of that. */
  readonly restarting: boolean
  readonly refusal?: RefusalMapping | undefined
  readonly log: Log
  /** For the log. */
  readonly request: { readonly method: string; readonly path: string }
}

/** The one place where what was thrown becomes what the client is told. Failures that are not the client's are logged here. */
export function clientErrorOf(thrown: unknown, context: ErrorContext): SlotwireError {
  if (context.restarting && !isRefusal(thrown)) return coreErrors.deviceRestarting({ cause: thrown })
  if (thrown instanceof ModuleRefusal) {
    return (
      context.refusal?.(thrown) ??
      coreErrors.commandRefused({ command: thrown.command, reason: thrown.reason }, { cause: thrown })
    )
  }
  if (thrown instanceof SlotwireError) {
    if (thrown.status === INTERNAL_STATUS) context.log.error({ ...context.request, err: thrown }, 'a request failed')
    return thrown
  }
  context.log.error({ ...context.request, err: thrown }, 'a request failed for an unforeseen reason')
  return coreErrors.internal({ cause: thrown })
}

/** What the client did wrong stays what it is, restart or not. */
function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof ModuleRefusal) return true
  return (
    thrown instanceof SlotwireError && thrown.status < INTERNAL_STATUS && thrown.definition !== coreErrors.moduleLost.definition
  )
}

/** Runs an exchange; a status listed in `errors` becomes the client's error, any other is thrown on as it is. */
export async function refusedAs<Result>(
  exchange: Promise<Result>,
  errors: Readonly<Partial<Record<number, (refusal: ModuleRefusal) => SlotwireError>>>,
): Promise<Result> {
  try {
    return await exchange
  } catch (error) {
    throw (error instanceof ModuleRefusal ? errors[error.status]?.(error) : undefined) ?? error
  }
}
