import { constants } from 'node:crypto'
import type { SecureContextOptions, Server } from 'node:tls'
import { coreErrors, type SlotwireError } from '@slotwire/core'

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
export const TLS_RULES = {
  minVersion: 'TLSv1.2',
  ciphers: [...TLS_1_3_CIPHERS, ...TLS_1_2_CIPHERS].join(':'),
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions

/** Presents the certificate to new connections. Keys for session tickets are new too, so older tickets are not accepted. */
export function presentCertificate(server: Server, certificate: SecureContextOptions): void {
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
