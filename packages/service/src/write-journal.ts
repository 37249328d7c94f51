import type { IncomingMessage } from 'node:http'
import type { Log } from '@slotwire/core'
import type { Caller } from './pipeline/caller.ts'
import { loggedPath } from './pipeline/request.ts'

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
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number
}

/** Reports a write after its response; never throws. */
export type RecordWrite = (
  request: IncomingMessage,
  caller: Caller | undefined,
  outcome: Pick<WriteRecord, 'status' | 'durationMs' | 'body' | 'target'>,
) => void

/** Creates the function that calls `onWrite`. */
export function writeRecorder(onWrite: ((record: WriteRecord) => void) | undefined, log: Log): RecordWrite {
  if (onWrite === undefined) return () => undefined
  return (request, caller, outcome) => {
    const path = loggedPath(request)
    try {
      onWrite({ caller, method: request.method ?? '', path, ...outcome })
    } catch (error) {
      log.error({ err: error, method: request.method, path }, 'a write was not recorded')
    }
  }
}
