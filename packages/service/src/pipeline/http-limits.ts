/** Limits of HTTP; behaviour.md "Status codes". */
export const defaultHttpLimits = {
  /** Largest request body in bytes. */
  bodyBytes: 65_536,
  /** Largest request line and headers together, in bytes. */
  headerBytes: 16_384,
  /** Time limit for a TLS handshake. */
  handshakeTimeoutMs: 10_000,
  /** Time limit to receive the headers of a request. */
  headersTimeoutMs: 10_000,
  /** Time limit to receive a whole request. */
  requestTimeoutMs: 30_000,
  /** Interval at which the limits for headers and requests are checked. */
  timeoutCheckMs: 1_000,
  /** Time to keep an idle connection: longer than proxies do (one minute), so that they close first. */
  keepAliveMs: 72_000,
  /** Maximum number of connections, all doors together; further ones are closed immediately. */
  connections: 10_000,
  /** Maximum number of event streams and waiting long polls. */
  streams: 128,
  /** Time for running requests to finish after `close`. Then the links to the modules are closed; together at most two seconds. */
  closeMs: 1_500,
}

export type HttpLimits = Readonly<typeof defaultHttpLimits>

/** Part of `closeMs` after which requests are refused that still wait for a module, or whose body is incomplete. Others may still finish. */
export const WAITING_REFUSED_AT = 2 / 3

/** Part of `closeMs` after which all requests are refused, so that responses are sent before connections are destroyed. */
export const ALL_REFUSED_AT = 9 / 10
