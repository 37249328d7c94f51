import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Answer, Caller } from '@slotwire/service'

/** State of a connection at a door. */
export interface ConnectionState {
  /** IP address of the client as from `plainAddress`; `unknown` if the system has none. */
  readonly address: string
  /** The response to the latest request. */
  latest: ServerResponse | undefined
  /** Requests without an answer that came before the answer to the one before them, and those of them that have not begun. */
  pipelined: number
  waiting: number
  /** Whether it had too many of them: no other is begun. */
  full: boolean
  /** Whether nothing more is sent on it. */
  refused: boolean
}

/** Result of the access check: the caller, or a refusal. `isHidden`: answer as if nothing was at the path. */
export type AccessDecision = { readonly caller: Caller; readonly isHidden?: boolean } | { readonly answer: Answer }

/** Called once per request, before its body is read; must not read the body; may set headers of the response. A refusal of a request with a body closes the connection. */
export type CheckAccess = (request: IncomingMessage, connection: ConnectionState, response: ServerResponse) => AccessDecision

/** Rules of a door. Default: a loopback door with plain HTTP, for programs and pages of this device only. */
export interface ListenerPolicy {
  /** Kind of the door, for metrics; default `loopback`. */
  readonly kind?: Caller['door']
  /** Access check; default `checkLoopbackAccess`. */
  readonly checkAccess?: CheckAccess
  /** Uses TLS with this certificate and key. The door itself sets versions, ciphers and renegotiation. */
  readonly tls?: Omit<SecureContextOptions, 'ticketKeys' | 'pfx'>
  /**
   * Most connections of one client: an IPv4 address, or a /64 of IPv6 (`networkOf`). More are closed at once. Called for each new
   * connection with the address as from `plainAddress`; an address without limit is counted on its own. Default: no limit.
   */
  readonly connectionsPerAddress?: (address: string) => number
}

/** Certificate and key to present, in PEM: the server's certificate first, then the intermediate ones. */
export interface ServerCertificate {
  readonly cert: string
  readonly key: string
}

/** A listening door. */
export interface OpenDoor {
  readonly address: AddressInfo
  /**
   * Presents another certificate to new connections, resumed sessions included; open connections stay. Throws and changes nothing if
   * certificate and key do not match. For doors with TLS only.
   */
  renewCertificate(certificate: ServerCertificate): void
  /** Closes only this door: accepts no new connections, and finishes running requests within `closeMs`. */
  close(): Promise<void>
}
