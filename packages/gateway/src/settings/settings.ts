/** How the device is announced: through the host's avahi, by an own responder, or not at all; `auto` takes avahi where it runs. */
export const DISCOVERY_KINDS = ['auto', 'avahi', 'own', 'off'] as const
export type DiscoveryKind = (typeof DISCOVERY_KINDS)[number]

/** Paths that the specification lets a device choose ("Discovery"). */
export interface OpenPaths {
  readonly machineId: string
  readonly tlsCa: string
}

/** What an operator may set: one file in the state folder, `settings.yaml`. */
export interface Settings {
  /** Under which the device is announced, without domain; undefined: that of the system. */
  readonly hostName: string | undefined
  /** TXT key `vendor`. */
  readonly vendor: string
  /** Further host names and IP addresses that the server's certificate is valid for. */
  readonly names: readonly string[]
  /** TCP port of the loopback door. */
  readonly loopbackPort: number
  /** Addresses at which the network door listens; none: it is closed. `0.0.0.0` and `::` mean all of their kind. */
  readonly listen: readonly string[]
  readonly httpsPort: number
  /** Plain HTTP at the network door; undefined: off. */
  readonly httpPort: number | undefined
  /** IP addresses of proxies whose forwarding headers are believed. */
  readonly proxies: readonly string[]
  /** Where services run that are not in this process, by their name: `http://127.0.0.1:8002`. */
  readonly upstreams: Readonly<Record<string, string>>
  /** Open to everybody; spec "Discovery". */
  readonly machineIdPath: string
  readonly tlsCaPath: string
  readonly discovery: DiscoveryKind
}
