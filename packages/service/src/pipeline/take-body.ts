import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { goAhead } from '../listener/go-ahead.ts'
import { isEncoded, isJson, receiveBody } from './json-body.ts'
import type { RunningRequest } from './running-requests.ts'

/** The bytes of a body that says it is JSON, at most `limit`. Rejects with the error for what it is instead, in the order of behaviour.md. */
export async function takeBody(raw: IncomingMessage, running: RunningRequest, limit: number): Promise<Buffer> {
  if (!isJson(raw.headers['content-type'])) throw coreErrors.contentTypeNotJson()
  if (isEncoded(raw.headers['content-encoding'])) throw coreErrors.contentEncodingNotSupported()
  const incoming = receiveBody(raw, limit, () => goAhead(raw, running.response))
  running.failBody = incoming.fail
  return incoming.bytes
}
