import type { IncomingMessage } from 'node:http'
import { coreErrors, type SlotwireError } from '@slotwire/core'
import { BODY_UNFINISHED, type HttpLimits } from '@slotwire/service'

/** Most header lines. Thousands of short ones take much memory and time for their size. */
export const MAX_HEADERS = 250

/** Message for another protocol or version. */
const HTTP_ONLY = 'the protocol must be HTTP/1.1'
/** Message for an invalid header line. */
export const HEADER_LINES = 'a header must be a line like Name: value, ended by CR LF and without control characters'
/** Message for an invalid target. */
export const TARGET_ENCODING = 'the path has characters that must be percent-encoded'

/** Head of a request, as Node.js provides it. */
export type RequestHead = Pick<IncomingMessage, 'httpVersionMajor' | 'httpVersion' | 'headers' | 'rawHeaders'>

/** Problem with a head that the parser accepts; undefined: none. */
export function headProblem({ httpVersionMajor, httpVersion, headers, rawHeaders }: RequestHead): string | undefined {
  if (httpVersionMajor !== 1) return HTTP_ONLY
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding !== undefined && coding !== 'chunked') return 'the body must come as it is, or in chunks: Transfer-Encoding: chunked'
  if (rawHeaders.length > 2 * MAX_HEADERS) return `there are too many headers: at most ${MAX_HEADERS}`
  let [hosts, authorizations] = [0, 0]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase()
    if (name === 'host') hosts++
    else if (name === 'authorization') authorizations++
  }
  if (hosts === 0 && httpVersion === '1.1') return 'the Host header is missing'
  if (authorizations > 1) return 'there is more than one Authorization header'
  return hosts > 1 ? 'there is more than one Host header' : undefined
}

const REQUEST_LINE = 'it must be HTTP/1.1, beginning with a line like GET /api/io/ HTTP/1.1'

/** Meaning of the codes of Node's HTTP parser (llhttp) for the client: what is wrong or expected. */
const reasons: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: REQUEST_LINE,
  HPE_INVALID_CONSTANT: REQUEST_LINE,
  HPE_INVALID_VERSION: REQUEST_LINE,
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not supported: use HTTP/1.1',
  HPE_INVALID_URL: TARGET_ENCODING,
  HPE_INVALID_HEADER_TOKEN: HEADER_LINES,
  HPE_UNEXPECTED_SPACE: HEADER_LINES,
  HPE_CR_EXPECTED: HEADER_LINES,
  HPE_LF_EXPECTED: HEADER_LINES,
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be the number of bytes of the body',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'there must be one Content-Length, and none with Transfer-Encoding',
  HPE_INVALID_TRANSFER_ENCODING: 'the body needs either Content-Length or Transfer-Encoding: chunked, not both',
  HPE_INVALID_CHUNK_SIZE: 'a chunk must begin with its size in hexadecimal digits',
  HPE_STRICT: 'a chunk must be as long as its size says, and end with CR LF',
  HPE_CLOSED_CONNECTION: 'nothing may follow a request with Connection: close',
}

/** The client error for an error of the HTTP parser, before or after the headers arrived; behaviour.md "Status codes". */
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
      return coreErrors.malformedRequest({ reason: reasonOf(error.code, headersArrived) }, { cause: error })
  }
}

function reasonOf(code: string | undefined, headersArrived: boolean): string {
  const reason = code === undefined ? undefined : reasons[code]
  if (reason !== undefined) return reason
  return headersArrived ? BODY_UNFINISHED : 'the connection ended before the headers did: end them with an empty line'
}
