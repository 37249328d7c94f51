import { constants } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https'
import type { Server } from 'node:net'
import type { SecureContextOptions, Server as SecureServer } from 'node:tls'
import { type Clock, coreErrors, type Log, type SlotwireError } from '@slotwire/core'
import type { HttpLimits } from '@slotwire/service'
import type { ListenerPolicy } from './listener-policy.ts'
import { MAX_HEADERS } from './request-head.ts'

/** Ciphers for TLS 1.2: forward secrecy (ECDHE) and authenticated encryption (AEAD). */
export const TLS_1_2_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]
const TLS_1_3_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** Rules of every TLS door. All ciphers are strong, so the client chooses the one that suits its hardware. */
const TLS_RULES = {
  minVersion: 'TLSv1.2',
  ciphers: [...TLS_1_3_CIPHERS, ...TLS_1_2_CIPHERS].join(':'),
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions

/** Presents the certificate to new connections. Keys for session tickets are new too, so older tickets are not accepted. */
export function presentCertificate(server: SecureServer, certificate: SecureContextOptions): void {
  server.setSecureContext({ ...certificate, ...TLS_RULES })
}

/** Whether an error comes from TLS, during or after the handshake. */
export function isTlsFailure({ code }: Error & { readonly code?: string }): boolean {
  return code?.startsWith('ERR_SSL_') === true
}

/** The response after a failed handshake; undefined: none. A client that sent plain HTTP can read it. */
export function handshakeRefusal(error: Error & { readonly code?: string }): SlotwireError | undefined {
  if (error.code !== 'ERR_SSL_HTTP_REQUEST') return undefined
  return coreErrors.malformedRequest({ reason: 'this port uses TLS: use https' }, { cause: error })
}

/** Creates a server for HTTP, or for HTTPS with a certificate. It does not listen yet. `secure` is the same server with TLS. */
export function createDoorServer(
  limits: HttpLimits,
  tls: ListenerPolicy['tls'],
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): { readonly server: HttpServer | HttpsServer; readonly secure: HttpsServer | undefined } {
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
  server.maxHeadersCount = MAX_HEADERS + 1
  return { server, secure }
}

/** Interval of log lines, in milliseconds: accept errors usually come in large numbers. */
const LOG_EVERY_MS = 10_000

/**
 * Keeps a server listening when the system fails to accept a connection (ENOBUFS, ENOMEM, EMFILE, ECONNABORTED). The connection is lost;
 * later ones may succeed. Logs at most one line every ten seconds, with the number of failures since the last line.
 */
export function surviveAcceptErrors(server: Server, { clock, log }: { readonly clock: Clock; readonly log: Log }): void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  server.on('error', (error) => {
    failures++
    const now = clock.now()
    if (now - loggedAt < LOG_EVERY_MS) return
    log.error({ err: error, failures }, 'connections were not accepted')
    loggedAt = now
    failures = 0
  })
}
