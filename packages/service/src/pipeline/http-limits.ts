/** Limits of HTTP; behaviour.md "Status codes". */
export interface HttpLimits {
  /** Largest request body in bytes. */
  readonly bodyBytes: number
  /** Largest request line and headers together, in bytes. */
  readonly headerBytes: number
  /** Time limit for a TLS handshake. */
  readonly handshakeTimeoutMs: number
  /** Time limit to receive the headers of a request. */
  readonly headersTimeoutMs: number
  /** Time limit to receive a whole request. */
  readonly requestTimeoutMs: number
  /** Interval at which both are checked. */
  readonly timeoutCheckMs: number
  /** Time to keep an idle connection: longer than proxies do (one minute), so that they close first. */
  readonly keepAliveMs: number
  /** Most connections over all doors; more are closed at once. */
  readonly connections: number
  /** Time for running requests to finish after `close`. Closing the links follows; both must take at most two seconds. */
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

/** Part of `closeMs` after which requests are refused that wait for a module or their body. Others may still finish. */
export const WAITING_REFUSED_AT = 2 / 3

/** Part of `closeMs` after which all requests are refused, so that responses are sent before connections are destroyed. */
export const ALL_REFUSED_AT = 9 / 10

/** Seconds until a client should try a full queue again. */
export const RETRY_AFTER_SECONDS = 1
