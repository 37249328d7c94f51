import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'

const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset[\t ]*=[\t ]*(?:utf-8|"utf-8")[\t ]*)?)?$/i

/** Whether a content type says JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && JSON_CONTENT_TYPE.test(contentType)
}

/** A request body on its way. `fail` ends the wait: the HTTP parser may find out that the rest will never come. */
export interface IncomingBody {
  readonly bytes: Promise<Buffer>
  readonly fail: (error: Error) => void
}

/** Collects at most `limit` bytes. Rejects with `bodyTooLarge` as soon as that is known, without waiting for the rest. */
export function receiveBody(request: IncomingMessage, limit: number): IncomingBody {
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
    request.once('error', reject)
    request.once('close', () => reject(coreErrors.malformedRequest({ reason: 'the connection ended before the body did' })))
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
