import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Server } from 'node:net'
import type { HttpLimits } from '@slotwire/service'
import type { ListenerPolicy } from './listener-policy.ts'
import { TLS_RULES } from './tls-rules.ts'

/** The server behind a door. `secure` is the same server if it uses TLS. */
export interface DoorServer {
  readonly server: Server
  readonly secure: SecureServer | undefined
}

/** Creates a server for HTTP, or for HTTPS with a certificate. It does not listen yet. */
export function createDoorServer(
  limits: HttpLimits,
  tls: ListenerPolicy['tls'],
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): DoorServer {
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
  // Their size is limited instead; above a maximum count, Node.js would drop headers silently.
  server.maxHeadersCount = 0
  return { server, secure }
}
