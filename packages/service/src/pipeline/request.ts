import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Caller } from './caller.ts'
import type { Departure } from './departure.ts'

/** Who sent a request, and what its headers say. */
export interface Sender {
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
  readonly headers: IncomingHttpHeaders
  /** Undefined: the client stays. */
  readonly departure?: Departure
}

/** Path of a request for the log, without query and without the user of an absolute target: both may contain secrets. */
export function loggedPath({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
}

/** Whether the request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether a method only reads (RFC 9110, 9.2.1). A GET with an effect is known only by its endpoint. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}
