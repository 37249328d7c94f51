import type { IncomingMessage } from 'node:http'
import type { Contract } from '@slotwire/contract'
import type { Log } from '@slotwire/core'
import { pathSegments } from './api-path.ts'
import { type Caller, loggedPath } from './request.ts'

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
