import { extensionPaths, type stateEndpoints, type ValueOf } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import type { CallOptions, HttpClient } from '../http-client.ts'
import { isRecords } from './history.ts'

export type StateDocument = ValueOf<typeof stateEndpoints.state.reply>

/** The state that the modules acknowledged last, and the leases. */
export async function readState(http: HttpClient, options: CallOptions): Promise<StateDocument> {
  const accepts = (answer: unknown): boolean => isRecord(answer) && isRecords(answer['modules']) && isRecords(answer['leases'])
  return (await http.extension(extensionPaths.state, { ...options, accepts })) as StateDocument
}
