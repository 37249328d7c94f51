import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'

const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset[\t ]*=[\t ]*(?:utf-8|"utf-8")[\t ]*)?)?$/i

/** What is wrong with a body of which only a part came. */
export const BODY_UNFINISHED =
  'the connection ended before the body did: send as many bytes as Content-Length says, or the last chunk'

/** Whether a content type says JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && JSON_CONTENT_TYPE.test(contentType)
}

/** Whether a content encoding has changed the body (`gzip` and the like). */
export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && !/^[\t ]*(?:identity[\t ]*)?$/i.test(contentEncoding)
}

/** A request body on its way. `fail` ends the wait: the HTTP parser may find out that the rest will never come. */
export interface IncomingBody {
  readonly bytes: Promise<Buffer>
  readonly fail: (error: Error) => void
}

/**
 * Collects at most `limit` bytes; `begin` is called unless it is clear beforehand that they will be too many. Rejects with `bodyTooLarge`
 * as soon as that is known, without waiting for the rest, and with `malformedRequest` when the connection ends first.
 */
export function receiveBody(request: IncomingMessage, limit: number, begin: () => void): IncomingBody {
  const { promise, resolve, reject } = deferred<Buffer>()
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
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    tooLarge()
  } else {
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks, size)))
    // A request fails when its connection does: whatever the system calls it, the body did not come.
    const broken = (cause?: Error): void => reject(coreErrors.malformedRequest({ reason: BODY_UNFINISHED }, { cause }))
    request.once('error', broken)
    request.once('close', () => broken())
    begin()
  }
  return { bytes: promise, fail: reject }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The value of a JSON text. Throws `bodyNotJson` for anything else, broken UTF-8 and nothing at all included. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw coreErrors.bodyNotJson({ cause: error })
  }
}

function deferred<Value>() {
  let settle!: { resolve: (value: Value) => void; reject: (error: Error) => void }
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}
