/** Bounds of the HTTP side; behaviour.md "Status codes". */
export interface HttpLimits {
  /** Largest request body in bytes. */
  readonly bodyBytes: number
  /** Largest request line and headers together, in bytes. */
  readonly headerBytes: number
  /** How long a client may take to agree on TLS. */
  readonly handshakeTimeoutMs: number
  /** How long the headers of a request may take to arrive. */
  readonly headersTimeoutMs: number
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number
  /** How often both are checked. */
  readonly timeoutCheckMs: number
  /** How long an idle connection is kept: longer than the minute that proxies keep theirs, so that they close first. */
  readonly keepAliveMs: number
  /** Connections over all doors; those beyond are closed at once. */
  readonly connections: number
  /** How long running requests may take to finish once the service is closing. The links close after that: two seconds are for both. */
  readonly closeMs: number
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 65_536,
  headerBytes: 16_384,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 1_000,
  keepAliveMs: 72_000,
  connections: 10_000,
  closeMs: 1_500,
}

/** Share of `closeMs` after which what still waits for a module, or for its own body, is refused: what has begun may still end. */
export const WAITING_REFUSED_AT = 2 / 3

/** Share of `closeMs` after which everything else is refused: the answers still have to go out before the connections are cut. */
export const ALL_REFUSED_AT = 9 / 10

/** Seconds after which a client may come back to a full queue. */
export const RETRY_AFTER_SECONDS = 1
