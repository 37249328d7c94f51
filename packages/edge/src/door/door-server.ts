import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Server } from 'node:net'
import type { HttpLimits } from '@slotwire/service'
import type { ListenerPolicy } from './listener-policy.ts'
import { TLS_RULES } from './tls-rules.ts'

/** The server behind a door. `secure` is the same one, where it speaks TLS. */
export interface DoorServer {
  readonly server: Server
  readonly secure: SecureServer | undefined
}

/** A server for HTTP, or for HTTPS where there is a certificate; it does not listen yet. */
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
  // A client may end its side and still read: its answer is sent all the same. Not among the declared options of a server.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Their size bounds them; beyond a number of them they would be dropped without a word.
  server.maxHeadersCount = 0
  return { server, secure }
}
