import type { OpenPaths } from '@slotwire/edge'
import { OperatorError } from '../operator-error.ts'

/** Configuration of a proxy in front of the service. */
export interface ProxyPlan {
  /** IP addresses to listen on; `0.0.0.0` and `::` are all addresses of a family. */
  readonly listen: readonly string[]
  readonly httpsPort: number
  /** Plain HTTP port; undefined: off. */
  readonly httpPort: number | undefined
  /** PEM with the server's key and certificate, then the intermediate ones. */
  readonly certificateFile: string
  /** Port of the service's loopback door. */
  readonly loopbackPort: number
  /** Paths that need no credentials. */
  readonly paths: OpenPaths
  /** File for the log of requests; undefined: no log. */
  readonly accessLog: string | undefined
}

/** Paths for a proxy or for this machine only, with everything below them. */
export const INNER_PATHS: readonly string[] = ['/slotwire/auth', '/slotwire/bench', '/slotwire/status']
/** Authorization endpoint, called for each request: 2xx allows it, `Slotwire-Access` reports the token's rights. */
export const AUTH_PATH = '/slotwire/auth'

/** The event stream: a message at least every 15 s, as long as the client reads. */
export const EVENTS_PATH = '/slotwire/events'

/** Timeouts of a proxy, in seconds. The service has its own, which are shorter where both apply. */
export const PROXY_SECONDS = {
  /** Headers of a request; the same as at the service's door. */
  headers: 10,
  /** Longest pause while a body is received or a response is sent. */
  pause: 30,
  /** Connecting to the service. */
  connect: 2,
  /** Start of a response, and its longest pause: the service waits 30 s for another process or a record, and a stream never pauses 16 s. */
  answer: 40,
  /** Unused connections to the service, which closes them after 72 s. */
  idle: 60,
} as const

/** Host and port of the service's loopback door, for a URL. */
export function serviceAuthority({ loopbackPort }: ProxyPlan): string {
  return `127.0.0.1:${loopbackPort}`
}

/** An address in the form for URLs. */
export function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

/** Characters that have another meaning in quotes in one of the configuration languages. */
const UNQUOTABLE = /["'`\\${}\p{Cc}]/u

/** A path quoted for both languages. Throws `OperatorError`. */
export function quoted(path: string): string {
  if (UNQUOTABLE.test(path)) {
    throw new OperatorError(
      `the path ${JSON.stringify(path)} cannot be used in a proxy's configuration: choose one without quotes, $, braces and backslashes`,
    )
  }
  return `"${path}"`
}
