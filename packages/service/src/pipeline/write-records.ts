import type { IncomingMessage } from 'node:http'
import type { Contract, Effect } from '@slotwire/contract'
import { type Clock, coreErrors, type Log } from '@slotwire/core'
import { type ErrorContext, sendOutcome } from './answer.ts'
import { pathSegments } from './api-path.ts'
import { type Caller, type Handle, loggedPath, requestAbandoned } from './request.ts'
import type { RunningRequests } from './running-requests.ts'

/** The endpoint of a module service that a write was for, and the module if it was found. */
export interface WriteTarget {
  readonly service: string
  /** Undefined: the service has no such endpoint. */
  readonly endpoint?: string
  readonly slot?: number
  /** Its `device_session`. */
  readonly session?: string
}

/** A request with an effect after its response, whether it succeeded or not. */
export interface WriteRecord {
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
  readonly method: string
  /** The path without the query, otherwise unchanged. */
  readonly path: string
  /** What it was for; undefined outside the API of the modules. */
  readonly target?: WriteTarget
  /** The accepted body; undefined if there was none, or if it was invalid or not read. */
  readonly body?: unknown
  /** HTTP status of the response. */
  readonly status: number
  /** The client had gone before its turn came: nothing was done. */
  readonly isAbandoned?: boolean
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number
}

/** Reports a write after its response; never throws. */
export type RecordWrite = (
  request: IncomingMessage,
  caller: Caller | undefined,
  outcome: Pick<WriteRecord, 'status' | 'durationMs' | 'body' | 'target' | 'isAbandoned'>,
) => void

/** Creates the function that calls `onWrite`. A write without an endpoint gets the service in its path, if it is one of `contracts`. */
export function writeRecorder(
  onWrite: ((record: WriteRecord) => void) | undefined,
  { contracts, log }: { readonly contracts: readonly Contract[]; readonly log: Log },
): RecordWrite {
  if (onWrite === undefined) return () => undefined
  return (request, caller, outcome) => {
    const path = loggedPath(request)
    try {
      const known = outcome.target === undefined ? targetIn(path, contracts) : {}
      onWrite({ caller, method: request.method ?? '', path, ...known, ...outcome })
    } catch (error) {
      log.error({ err: error, method: request.method, path }, 'a write was not recorded')
    }
  }
}

function targetIn(path: string, contracts: readonly Contract[]): Pick<WriteRecord, 'target'> {
  const [root, service] = pathSegments(path) ?? []
  const contract = root === 'api' ? contracts.find((known) => known.service === service) : undefined
  return contract === undefined ? {} : { target: { service: contract.service } }
}

/** What an endpoint changes. */
interface Change {
  readonly effect: Effect
  /** Undefined: it is outside the API of the modules. */
  readonly target?: Pick<WriteTarget, 'service' | 'endpoint'>
  readonly errors: ErrorContext
}

/** What is known of a change so far. */
interface ChangeRecord {
  /** The module. */
  slot?: { readonly slot: number; readonly session: string }
  body?: unknown
}

interface ChangeContext {
  readonly doorTime: Clock
  readonly running: RunningRequests
  readonly log: Log
  readonly recordWrite: RecordWrite
}

/**
 * Handles an endpoint that changes something or takes a body: `change` does the work and returns the reply. Logs every change and records it
 * with its caller, whether it succeeded or not. A read-only caller is refused first.
 */
export function recordedChange(
  { effect, target, errors }: Change,
  { doorTime, running, log, recordWrite }: ChangeContext,
  change: (record: ChangeRecord, ...request: Parameters<Handle>) => unknown,
): Handle {
  const changes = effect !== 'read'
  return async (request, response, match) => {
    const { caller } = match
    const startedMs = doorTime.now()
    const record: ChangeRecord = {}
    const refusal = await running.run(request, response, errors, async () => {
      if (changes && caller?.readOnly === true) throw coreErrors.readOnly()
      sendOutcome(request, response, await change(record, request, response, match))
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
