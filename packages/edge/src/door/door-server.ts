import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { HttpLimits } from '@slotwire/service'
import type { ListenerPolicy } from './listener-policy.ts'
import { MOST_HEADERS } from './request-head.ts'
import { TLS_RULES } from './tls-rules.ts'

/** Creates a server for HTTP, or for HTTPS with a certificate. It does not listen yet. `secure` is the same server with TLS. */
export function createDoorServer(
  limits: HttpLimits,
  tls: ListenerPolicy['tls'],
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
  }
  const secure =
    tls === undefined
      ? undefined
      : createSecureServer({ ...options, ...tls, ...TLS_RULES, handshakeTimeout: limits.handshakeTimeoutMs }, onRequest)
  const server = secure ?? createServer(options, onRequest)
  // A client may end its side and still read: send the response anyway. Node.js does not declare this option.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Node.js drops more than these silently: with the first of them the request is refused.
  server.maxHeadersCount = MOST_HEADERS + 1
  return { server, secure }
}
