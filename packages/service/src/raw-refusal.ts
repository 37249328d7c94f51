import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SlotwireError } from '@slotwire/core'
import { coreErrors } from '@slotwire/core'
import type { Answer } from './answer.ts'
import type { HttpLimits } from './http-limits.ts'

/** What the HTTP parser's error means, with or without the headers of the request that it is about; behaviour.md "Status codes". */
export function parserErrorOf(
  error: Error & { readonly code?: string },
  limits: HttpLimits,
  headersArrived: boolean,
): SlotwireError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const [part, ms] = headersArrived ? ['it whole', limits.requestTimeoutMs] : ['its headers', limits.headersTimeoutMs]
      return coreErrors.requestTimeout({ part, seconds: ms / 1000 }, { cause: error })
    }
    case 'HPE_HEADER_OVERFLOW':
      return coreErrors.headersTooLarge({ limit: limits.headerBytes }, { cause: error })
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return coreErrors.bodyTooLarge({ limit: limits.bodyBytes }, { cause: error })
    default:
      return coreErrors.malformedRequest({ reason: error.message.replace(/^Parse Error: /, '') }, { cause: error })
  }
}

/** Ends a connection where the HTTP server cannot, with an answer where one is due. */
export function endRaw(socket: Duplex, answer?: Answer): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  // What the client still sends is read and dropped: a connection closed with unread bytes loses the answer.
  socket.resume()
  if (answer === undefined) {
    socket.end()
    return
  }
  const headers = { ...answer.headers, 'content-length': String(Buffer.byteLength(answer.body)), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${answer.body}`)
}
