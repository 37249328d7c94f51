import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Caller } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'

/** Whom a service shall take for its client. */
export interface ForwardClient {
  /** IP address. */
  readonly address: string
  readonly scheme: 'http' | 'https'
  /** Host that was asked for. */
  readonly clientHost: string | undefined
  /** Whether it may change nothing. */
  readonly readOnly: boolean
}

/**
 * The client as the door knows it. Where that says another address than the connection has, a proxy in front was believed: then what that
 * one says of scheme and host counts too.
 */
export function clientOf({ socket, headers }: IncomingMessage, caller: Caller | undefined): ForwardClient {
  const peer = plain(socket.remoteAddress ?? '')
  const address = caller === undefined ? peer : plain(caller.address)
  const believed = address !== peer
  const encrypted = socket instanceof TLSSocket || (believed && headers['x-forwarded-proto'] === 'https')
  const forwardedHost = believed ? headers['x-forwarded-host'] : undefined
  return {
    address,
    scheme: encrypted ? 'https' : 'http',
    clientHost: typeof forwardedHost === 'string' ? forwardedHost : headers.host,
    readOnly: caller?.readOnly === true,
  }
}

/** One way to write each address: a caller's differs from that of its connection only where it is another. */
function plain(address: string): string {
  return plainAddress(address) ?? address
}
