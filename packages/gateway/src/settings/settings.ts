/** How to announce the device: with the host's avahi, with its own responder, or not at all; `auto` uses avahi if it runs. */
export const DISCOVERY_KINDS = ['auto', 'avahi', 'own', 'off'] as const
export type DiscoveryKind = (typeof DISCOVERY_KINDS)[number]

/** Settings of the operator, from `settings.yaml` in the state folder. */
export interface Settings {
  /** Host name to announce, without domain; undefined: the system's host name. */
  readonly hostName: string | undefined
  /** TXT key `vendor`. */
  readonly vendor: string
  /** More host names and IP addresses for the server's certificate. */
  readonly names: readonly string[]
  /** TCP port of the loopback door. */
  readonly loopbackPort: number
  /** More TCP ports of the loopback door. */
  readonly loopbackPorts: readonly number[]
  /** Host names in the `Host` of a proxy on this machine that calls the loopback door. */
  readonly loopbackHosts: readonly string[]
  /** Addresses of the network door; none: it is closed. `0.0.0.0` and `::` mean all IPv4 or all addresses. */
  readonly listen: readonly string[]
  readonly httpsPort: number
  /** Plain HTTP port of the network door; undefined: off. */
  readonly httpPort: number | undefined
  /** Origins of other sites whose web pages may use the doors, as browsers send them. */
  readonly corsOrigins: readonly string[]
  /** IP addresses of proxies whose forwarding headers are trusted. */
  readonly proxies: readonly string[]
  /** Most event streams at one time. */
  readonly streams: number
  /** Public; spec "Discovery". */
  readonly machineIdPath: string
  readonly tlsCaPath: string
  readonly discovery: DiscoveryKind
}
