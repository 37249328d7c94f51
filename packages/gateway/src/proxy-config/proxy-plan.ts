import type { OpenPaths } from '../settings/settings.ts'

/** What a proxy in front of the service has to know. */
export interface ProxyPlan {
  /** IP addresses at which it listens; `0.0.0.0` and `::` mean all of their kind. */
  readonly listen: readonly string[]
  readonly httpsPort: number
  /** Plain HTTP; undefined: off. */
  readonly httpPort: number | undefined
  /** PEM with the server's key and, the server's own first, its certificates. */
  readonly certificateFile: string
  /** Port of the service's loopback door. */
  readonly loopbackPort: number
  /** Paths that need no credentials. */
  readonly paths: OpenPaths
  /** Where requests are logged; undefined: nowhere. */
  readonly accessLog: string | undefined
}

/** Paths of the service that are for a proxy or for this machine alone; what is below them too. */
export const INNER_PATHS: readonly string[] = ['/slotwire/auth', '/slotwire/bench', '/slotwire/status']
/** Asked for each request: lets in with a 2xx, and says with `Slotwire-Access` what the token may do. */
export const AUTH_PATH = '/slotwire/auth'

/** Bounds of a proxy, in seconds. The service has its own, which come first where both have one. */
export const PROXY_SECONDS = {
  /** Headers of a request; as at the service's own door. */
  headers: 10,
  /** Between two parts of a body, and of an answer to the client. */
  pause: 30,
  /** A connection to the service. */
  connect: 2,
  /** The beginning of an answer: the service itself waits 30 for one that runs elsewhere. */
  answer: 40,
  /** Unused connections to the service, which keeps them for 72. */
  idle: 60,
} as const

/** The service's door as a URL has it. */
export function serviceAuthority({ loopbackPort }: ProxyPlan): string {
  return `127.0.0.1:${loopbackPort}`
}

/** An address as a URL has it. */
export function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
