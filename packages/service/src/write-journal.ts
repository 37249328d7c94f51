import type { IncomingMessage } from 'node:http'
import type { Log } from '@slotwire/core'
import type { Caller } from './pipeline/caller.ts'
import { loggedPath } from './pipeline/request.ts'
import type { WriteRecord } from './write-record.ts'

/** Reports a write after its response; never throws. */
export type RecordWrite = (
  request: IncomingMessage,
  caller: Caller | undefined,
  outcome: Pick<WriteRecord, 'status' | 'durationMs' | 'body'>,
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
