import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '../pipeline/answer.ts'
import type { RecordWrite } from '../write-journal.ts'
import { setCaller } from './caller.ts'
import type { Receive } from './reception.ts'
import { isSafe } from './request-head.ts'

/**
 * A header by which anybody may renounce the right to change anything, as a proxy does for those whom it lets in so: `read-only`. Any
 * other text counts as that too: one that is misspelt must not give rights.
 */
const ACCESS_HEADER = 'slotwire-access'

/** Notes who sent a request, and tells what to answer where the service shall not see it. */
export function admit(request: IncomingMessage, receive: Receive, record: RecordWrite): Answer | undefined {
  const reception = receive(request)
  if ('answer' in reception) return reception.answer
  const access = request.headers[ACCESS_HEADER]
  const { caller } = reception
  const readOnly = caller.readOnly || (access !== undefined && access !== '')
  setCaller(request, readOnly === caller.readOnly ? caller : { ...caller, readOnly })
  if (!readOnly || isSafe(request.method)) return undefined
  const refusal = errorAnswer(coreErrors.readOnly())
  record(request, { status: refusal.status, durationMs: 0 })
  return refusal
}
