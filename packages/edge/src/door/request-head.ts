import type { IncomingMessage } from 'node:http'

const HOST = 'host'
const AUTHORIZATION = 'authorization'
/** Most header lines. Thousands of short ones take much memory and time for their size. */
export const MOST_HEADERS = 250
/** Characters in a target that the parser of Node.js 20.19.0 accepts and later versions refuse. */
const SPACE_IN_TARGET = /[\t\f]/

/** Message for another protocol or version. */
export const HTTP_ONLY = 'the protocol must be HTTP/1.1'
/** Message for an invalid header line. */
export const HEADER_LINES = 'a header must be a line like Name: value, ended by CR LF and without control characters'
/** Message for an invalid target. */
export const TARGET_ENCODING = 'the path has characters that must be percent-encoded'

/** Head of a request, as Node.js provides it. */
export type RequestHead = Pick<IncomingMessage, 'httpVersionMajor' | 'httpVersion' | 'url' | 'headers' | 'rawHeaders'>

/** Problem with a head that the parser accepts; undefined: none. */
export function headProblem({ httpVersionMajor, httpVersion, url = '', headers, rawHeaders }: RequestHead): string | undefined {
  if (httpVersionMajor !== 1) return HTTP_ONLY
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding !== undefined && coding !== 'chunked') return 'the body must come as it is, or in chunks: Transfer-Encoding: chunked'
  if (rawHeaders.length > 2 * MOST_HEADERS) return `there are too many headers: at most ${MOST_HEADERS}`
  if (SPACE_IN_TARGET.test(url)) return TARGET_ENCODING
  let [hosts, authorizations] = [0, 0]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // The parser accepts these names, but a proxy in front may read them differently.
    if (name === '' || name.includes(' ')) return HEADER_LINES
    if (isHeader(name, HOST)) hosts++
    if (isHeader(name, AUTHORIZATION)) authorizations++
  }
  if (hosts === 0 && httpVersion === '1.1') return 'the Host header is missing'
  if (authorizations > 1) return 'there is more than one Authorization header'
  return hosts > 1 ? 'there is more than one Host header' : undefined
}

/** Runs for each header of each request, so it compares the length first. */
function isHeader(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted
}
