import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Caller } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'

/** The client to report to a service. */
export interface ForwardClient {
  /** IP address. */
  readonly address: string
  readonly scheme: 'http' | 'https'
  /** Requested host. */
  readonly clientHost: string | undefined
  /** Whether the client may only read. */
  readonly readOnly: boolean
}

/**
 * The client as the door identified it. If its address differs from the connection's, the door trusted a proxy: then the proxy's headers
 * for scheme and host are used too.
 */
export function clientOf({ socket, headers }: IncomingMessage, caller: Caller | undefined): ForwardClient {
  const peer = plain(socket.remoteAddress ?? '')
  const address = caller === undefined ? peer : plain(caller.address)
  const isProxied = address !== peer
  const encrypted = socket instanceof TLSSocket || (isProxied && headers['x-forwarded-proto'] === 'https')
  const forwardedHost = isProxied ? headers['x-forwarded-host'] : undefined
  return {
    address,
    scheme: encrypted ? 'https' : 'http',
    clientHost: typeof forwardedHost === 'string' ? forwardedHost : headers.host,
    readOnly: caller?.readOnly === true,
  }
}

/** Canonical form, so that a caller's address differs from its connection's only if it is another address. */
function plain(address: string): string {
  return plainAddress(address) ?? address
}
