import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Validator } from '@slotwire/contract'
import { coreErrors, type SlotwireError } from '@slotwire/core'
import type { HttpLimits } from './http-limits.ts'
import { hasBody } from './request.ts'

const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset[\t ]*=[\t ]*(?:utf-8|"utf-8")[\t ]*)?)?$/i
/** A content encoding that leaves the body as it is. */
const NO_ENCODING = /^[\t ]*(?:identity[\t ]*)?$/i
const GO_AHEAD = /(?:^|\W)100-continue(?:$|\W)/i
const CLOSES = /(?:^|\W)close(?:$|\W)/i

/** What is wrong with a body of which only a part came. */
export const BODY_UNFINISHED =
  'the connection ended before the body did: send as many bytes as Content-Length says, or the last chunk'

/** Gives the body of a request as a value that has been checked. Rejects with the error for what it is instead, in the order of behaviour.md. */
export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/** Of an endpoint whose requests have none. */
export const noBody: ReadBody = () => Promise.resolve(undefined)

/** Makes what reads a body. `isOptional`: where a request has none, the body is `{}`. */
export function bodyReader(validate: Validator, { bodyBytes }: HttpLimits, isOptional = false): ReadBody {
  return async (request, response) => {
    if (isOptional && !hasBody(request)) return {}
    const { headers } = request
    if (!JSON_CONTENT_TYPE.test(headers['content-type'] ?? '')) throw coreErrors.contentTypeNotJson()
    if (!NO_ENCODING.test(headers['content-encoding'] ?? '')) throw coreErrors.contentEncodingNotSupported()
    const bytes = await receiveBody(request, response, bodyBytes)
    const body = isOptional && bytes.length === 0 ? {} : parseJson(bytes)
    const reason = validate(body)
    if (reason !== undefined) throw coreErrors.invalidField({ reason })
    return body
  }
}

/**
 * Collects at most `limit` bytes. Rejects with `bodyTooLarge` as soon as that is known, without waiting for the rest, and with
 * `malformedRequest` when the connection ends first.
 */
function receiveBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const tooLarge = (): void => {
      request.off('data', onData)
      reject(coreErrors.bodyTooLarge({ limit }))
    }
    function onData(chunk: Buffer): void {
      size += chunk.length
      if (size > limit) tooLarge()
      else chunks.push(chunk)
    }
    onUnfinishedBody(request, reject)
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      tooLarge()
      return
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks, size)))
    // A request fails when its connection does: whatever the system calls it, the body did not come.
    const broken = (cause?: Error): void => reject(coreErrors.malformedRequest({ reason: BODY_UNFINISHED }, { cause }))
    request.once('error', broken)
    request.once('close', () => broken())
    sendContinue(request, response)
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The value of a JSON text. Throws `bodyNotJson` for anything else, broken UTF-8 and nothing at all included. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw coreErrors.bodyNotJson({ cause: error })
  }
}

/**
 * For the response to a request whose body waits for `100 Continue`: without it (RFC 9110, 10.1.1) nobody knows whether the body will
 * still come, so the connection ends with the answer.
 */
export function deferContinue(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

/** To be called when the body is going to be read: tells a client that waits for it to send the body. */
export function sendContinue({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect === undefined || httpVersion !== '1.1' || !GO_AHEAD.test(headers.expect)) return
  response.shouldKeepAlive = !CLOSES.test(headers.connection ?? '')
  response.writeContinue()
}

type Fail = (error: SlotwireError) => void

const waiting = new WeakMap<IncomingMessage, Fail>()

/** Has `fail` called when the rest of this request's body will never come: it is late, or not well formed, or the service closes. */
export function onUnfinishedBody(request: IncomingMessage, fail: Fail): void {
  waiting.set(request, fail)
}

/** Tells whoever waits for the body of this request why it will never be whole. */
export function failBody(request: IncomingMessage, error: SlotwireError): void {
  waiting.get(request)?.(error)
}
