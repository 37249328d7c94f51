import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from './address.ts'

/** What a door knows of a connection. */
export interface Connection {
  /** IP address of the other end, as `plainAddress` writes it; `unknown` where the system has none. */
  readonly address: string
  /** The response to its last request. */
  latest: ServerResponse | undefined
  /** Whether nothing more is said on it. */
  refused: boolean
}

/** Kept with the socket itself: a weak map on the side would cost every request some hundred nanoseconds. */
const CONNECTION = Symbol('connection')

/** What is known of this connection; to be written to by its door. */
export function connectionOf(socket: Duplex & { [CONNECTION]?: Connection }): Connection {
  return (socket[CONNECTION] ??= { address: addressOf(socket), latest: undefined, refused: false })
}

function addressOf(socket: Duplex & Pick<Partial<Socket>, 'remoteAddress'>): string {
  return plainAddress(socket.remoteAddress ?? '') ?? 'unknown'
}
