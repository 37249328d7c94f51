import type { IncomingMessage } from 'node:http'

const HOST = 'host'
/** What the parser of Node.js 20.19.0 takes in a target, and later ones do not. */
const SPACE_IN_TARGET = /[\t\f]/

/** What a header line must be. */
export const HEADER_LINES = 'a header must be a line like Name: value, ended by CR LF and without control characters'
/** What a target must be. */
export const TARGET_ENCODING = 'the path has characters that must be percent-encoded'

/** A request's head, as Node.js has it. */
export type RequestHead = Pick<IncomingMessage, 'httpVersionMajor' | 'httpVersion' | 'url' | 'headers' | 'rawHeaders'>

/** What is wrong with a request's head although the parser takes it. */
export function headProblem({ httpVersionMajor, httpVersion, url = '', headers, rawHeaders }: RequestHead): string | undefined {
  if (httpVersionMajor !== 1) return 'the protocol must be HTTP/1.1'
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding !== undefined && coding !== 'chunked') return 'the body must come as it is, or in chunks: Transfer-Encoding: chunked'
  if (SPACE_IN_TARGET.test(url)) return TARGET_ENCODING
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // The parser of Node.js 20.19.0 takes these names: to a proxy in front they may mean something else.
    if (name === '' || name.includes(' ')) return HEADER_LINES
    if (isHost(name)) hosts++
  }
  if (hosts === 0 && httpVersion === '1.1') return 'the Host header is missing'
  return hosts > 1 ? 'there is more than one Host header' : undefined
}

/** Asked of each header of each request: the length tells most of them apart. */
function isHost(name: string): boolean {
  return name.length === HOST.length && name.toLowerCase() === HOST
}
