import type { IncomingMessage } from 'node:http'
import type { Log } from '@slotwire/core'
import type { Caller } from './pipeline/caller.ts'
import { loggedPath } from './pipeline/request.ts'
import type { WriteRecord } from './write-record.ts'

/** Tells of a request with an effect that has been answered; never throws. */
export type RecordWrite = (
  request: IncomingMessage,
  caller: Caller | undefined,
  outcome: Pick<WriteRecord, 'status' | 'durationMs' | 'body'>,
) => void

/** Makes what tells `onWrite`. */
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
