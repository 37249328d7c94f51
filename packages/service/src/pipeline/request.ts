import type { IncomingMessage } from 'node:http'

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
