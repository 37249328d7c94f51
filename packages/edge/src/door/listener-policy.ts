import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Answer, Caller } from '@slotwire/service'

/** What a door knows of a connection. */
export interface Connection {
  /** IP address of the other end, as `plainAddress` writes it; `unknown` where the system has none. */
  readonly address: string
  /** The response to its last request. */
  latest: ServerResponse | undefined
  /** Whether nothing more is said on it. */
  refused: boolean
}

/** What a door does with a request before anything else looks at it: it lets a caller in, or answers by itself. */
export type AccessDecision = { readonly caller: Caller } | { readonly answer: Answer }

/** Called once for each request, with its head alone; must not take its body. An answer to a request with a body ends the connection. */
export type CheckAccess = (request: IncomingMessage, connection: Connection) => AccessDecision

/**
 * Asked for each request that was let in, before the service's own paths: true says that it will answer this one. It takes care of a body
 * that waits for `100 Continue` (`goAhead`), of one that will not come whole (`onUnfinishedBody`), and of the end of the connection, which
 * closing may bring at any moment. What it takes is not told to `onWrite`.
 */
export type Forward = (request: IncomingMessage, response: ServerResponse, caller: Caller) => boolean

/** How a door treats those who come. Without any it is a loopback door: plain HTTP, for programs and pages of this device alone. */
export interface ListenerPolicy {
  /** Which kind of door it is, for the metrics; `loopback` if not given. */
  readonly kind?: Caller['door']
  /** Who is let in; `receiveLoopback` if not given. */
  readonly checkAccess?: CheckAccess
  /** Speaks TLS with this certificate and key. Versions, ciphers and renegotiation are the door's own. */
  readonly tls?: Omit<SecureContextOptions, 'ticketKeys' | 'pfx'>
  /**
   * Connections that one client may have, an IPv4 address or a /64 of IPv6 (`networkOf`); those beyond are closed at once. A function is
   * asked at each new connection, with the address as `plainAddress` writes it; one without a bound counts for itself. No bound of its own if
   * not given.
   */
  readonly connectionsPerAddress?: number | ((address: string) => number)
  readonly forward?: Forward
}

/** What a server presents from now on, in PEM: its own certificate first, then those between it and the authority. */
export interface PresentedCertificate {
  readonly cert: string
  readonly key: string
}

/** A door that listens. */
export interface OpenDoor {
  readonly address: AddressInfo
  /**
   * Presents another certificate to all who connect from now on, also to those with a session from before; open connections go on.
   * Throws, and leaves everything as it was, when certificate and key do not fit. For doors with TLS only.
   */
  renewCertificate(certificate: PresentedCertificate): void
  /** Closes this door alone: takes no new connection, and finishes running requests within `closeMs`. */
  close(): Promise<void>
}
