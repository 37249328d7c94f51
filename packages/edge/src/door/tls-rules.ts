import { constants } from 'node:crypto'
import type { SecureContextOptions, Server } from 'node:tls'
import { coreErrors, type SlotwireError } from '@slotwire/core'

/** For TLS 1.2: keys that are gone after the connection (ECDHE) and ciphers that vouch for what they carry (AEAD). */
export const TLS_1_2_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]
const TLS_1_3_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** What every TLS door keeps to. All ciphers are good, so the client, who knows its hardware, chooses among them. */
export const TLS_RULES = {
  minVersion: 'TLSv1.2',
  ciphers: [...TLS_1_3_CIPHERS, ...TLS_1_2_CIPHERS].join(':'),
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions

/** The certificate is taken by all who connect from now on. Its keys for session tickets are new: an older ticket is no way around it. */
export function presentAnew(server: Server, certificate: SecureContextOptions): void {
  server.setSecureContext({ ...certificate, ...TLS_RULES })
}

/** Whether an error is one of TLS itself, of a handshake or of a connection that had one. */
export function isTlsFailure({ code }: Error & { readonly code?: string }): boolean {
  return code?.startsWith('ERR_SSL_') === true
}

/** What there is to say to a client whose handshake failed: who speaks plain HTTP can understand it. */
export function handshakeRefusal(error: Error & { readonly code?: string }): SlotwireError | undefined {
  if (error.code !== 'ERR_SSL_HTTP_REQUEST') return undefined
  return coreErrors.malformedRequest({ reason: 'TLS is spoken at this port: use https' }, { cause: error })
}
