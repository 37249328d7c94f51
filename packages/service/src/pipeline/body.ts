import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Validator } from '@slotwire/contract'
import { coreErrors, messageOf, type SlotwireError, type Turns, visible } from '@slotwire/core'
import type { HttpLimits } from './http-limits.ts'
import { hasBody } from './request.ts'

const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset[\t ]*=[\t ]*(?:utf-8|"utf-8")[\t ]*)?)?$/i
/** Content encodings that leave the body unchanged. */
const NO_ENCODING = /^[\t ]*(?:identity[\t ]*)?$/i
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i
const CLOSES = /(?:^|\W)close(?:$|\W)/i

/** Message for an incomplete body. */
export const BODY_UNFINISHED =
  'the connection ended before the body did: send as many bytes as Content-Length says, or the last chunk'

/** Reads and validates the body of a request. Rejects with the first error in the order of behaviour.md. */
export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/** For endpoints without a body. */
export const noBody: ReadBody = () => Promise.resolve(undefined)

/** Whether a web page sent the request: a program sends none of these headers. */
export function isFromPage({ headers: { origin, referer = '', 'sec-fetch-site': site } }: IncomingMessage): boolean {
  return origin !== undefined || site !== undefined || referer !== ''
}

/** Creates a body reader. `isOptional`: a request without a body has the body `{}`. */
export function bodyReader(
  validate: Validator,
  { limits: { bodyBytes }, turns }: { readonly limits: HttpLimits; readonly turns: Turns },
  isOptional = false,
): ReadBody {
  return async (request, response) => {
    if (isOptional && !hasBody(request)) return {}
    const { headers } = request
    // A page of another site can send other types without the browser asking first. Programs may send JSON as any type.
    if (isFromPage(request) && !JSON_CONTENT_TYPE.test(headers['content-type'] ?? '')) throw coreErrors.contentTypeNotJson()
    if (!NO_ENCODING.test(headers['content-encoding'] ?? '')) throw coreErrors.contentEncodingNotSupported()
    const bytes = await receiveBody(request, response, bodyBytes)
    return turns.result(() => {
      const body = isOptional && bytes.length === 0 ? {} : parseJson(bytes)
      const reason = validate(body)
      if (reason !== undefined) throw coreErrors.invalidField({ reason })
      return body
    })
  }
}

/**
 * Collects at most `limit` bytes. Rejects with `bodyTooLarge` as soon as possible, without the rest of the body, and with
 * `malformedRequest` if the connection ends first.
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
    // A request fails together with its connection; whatever the system's error is, the body is incomplete.
    const broken = (cause?: Error): void => reject(coreErrors.malformedRequest({ reason: BODY_UNFINISHED }, { cause }))
    const onClose = (): void => broken()
    request.once('error', broken)
    request.once('close', onClose)
    request.once('end', () => {
      // Every request closes: making its error costs more than reading the body.
      request.off('close', onClose)
      resolve(Buffer.concat(chunks, size))
    })
    sendContinue(request, response)
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON. Throws `bodyNotJson` for any other bytes, also for invalid UTF-8 and no bytes. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const reason = bytes.length === 0 ? 'it is empty' : isUtf8(bytes) ? syntaxProblem(messageOf(error)) : 'it is not UTF-8'
    throw coreErrors.bodyNotJson({ reason }, { cause: error })
  }
}

/** What V8 says of a text, without a copy of the text: it names the character, or its place. */
function syntaxProblem(message: string): string {
  const [, place] = /at position (\d+)/.exec(message) ?? []
  if (place !== undefined) return `at character ${Number(place) + 1}`
  const [, character] = /^Unexpected token '(.)'/su.exec(message) ?? []
  return character === undefined ? 'it ends too early' : `unexpected ${visible(character)}`
}

/**
 * For a response to a request that waits for `100 Continue`. Without that (RFC 9110, 10.1.1) it is unknown whether the body will follow, so
 * the connection is closed after the response.
 */
export function deferContinue(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

/** Call this before the body is read: sends `100 Continue` to a client that waits for it. */
export function sendContinue({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect === undefined || httpVersion !== '1.1' || !CONTINUE.test(headers.expect)) return
  response.shouldKeepAlive = !CLOSES.test(headers.connection ?? '')
  response.writeContinue()
}

type Fail = (error: SlotwireError) => void

const waiting = new WeakMap<IncomingMessage, Fail>()
const failed = new WeakMap<IncomingMessage, SlotwireError>()

/** Calls `fail` if the rest of this request's body will never arrive: it is late or malformed, or the service closes. */
export function onUnfinishedBody(request: IncomingMessage, fail: Fail): void {
  const error = failed.get(request)
  if (error === undefined) waiting.set(request, fail)
  else fail(error)
}

/** Reports to the reader of this request's body why it will never be complete. */
export function failBody(request: IncomingMessage, error: SlotwireError): void {
  const fail = waiting.get(request)
  // A request that has not begun fails when it begins.
  if (fail === undefined) failed.set(request, error)
  else fail(error)
}
