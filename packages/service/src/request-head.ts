import type { IncomingMessage } from 'node:http'

const HOST = 'host'

/** What is wrong with a request's head although the parser takes it. */
export function headProblem({ httpVersionMajor, httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'the protocol must be HTTP/1.1'
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding !== undefined && coding !== 'chunked') return 'the body must come as it is, or in chunks: Transfer-Encoding: chunked'
  if (headers.host === undefined) return httpVersion === '1.1' ? 'the Host header is missing' : undefined
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index] ?? '')) hosts++
  return hosts > 1 ? 'there is more than one Host header' : undefined
}

/** Asked of each header of each request: the length tells most of them apart. */
function isHost(name: string): boolean {
  return name.length === HOST.length && name.toLowerCase() === HOST
}

/** What a request is for, fit for a log: neither its query nor the user of an absolute target, where a secret may be. */
export function loggedPath({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
}

/** Whether a body follows the head. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether a method asks for nothing but information (RFC 9110, 9.2.1). A GET with an effect is known by its endpoint only. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}
