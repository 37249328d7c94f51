import type { NamedPin } from '@slotwire/contract'

/** How to announce the device: with the host's avahi, with its own responder, or not at all; `auto` uses avahi if it runs. */
export const DISCOVERY_KINDS = ['auto', 'avahi', 'own', 'off'] as const
export type DiscoveryKind = (typeof DISCOVERY_KINDS)[number]

/** As of `slotwire bridge`. */
export const MQTT_COMMANDS = ['off', 'expiring', 'all'] as const
export const MQTT_PAYLOADS = ['plain', 'sparkplug'] as const
export const MQTT_DISCOVERY = ['components', 'device'] as const

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
  /** What pins are called, and how their readings become quantities. */
  readonly pins: readonly NamedPin[]
  /** `mqtt://` or `mqtts://` with a host; undefined: the device is not published. */
  readonly mqttBroker: string | undefined
  readonly mqttUser: string | undefined
  /** Files with the password, the broker's authority, a client certificate and its key. */
  readonly mqttPassword: string | undefined
  readonly mqttCa: string | undefined
  readonly mqttCert: string | undefined
  readonly mqttKey: string | undefined
  readonly mqttCommands: (typeof MQTT_COMMANDS)[number]
  readonly mqttPayload: (typeof MQTT_PAYLOADS)[number]
  /** Group of the edge node of Sparkplug. */
  readonly mqttGroup: string
  /** How Home Assistant learns of the device; undefined: not at all. */
  readonly mqttHomeAssistant: (typeof MQTT_DISCOVERY)[number] | undefined
  /** Prefix of Home Assistant's discovery. */
  readonly mqttDiscovery: string
  /** How often pins are looked at, in milliseconds. */
  readonly mqttEveryMs: number
}
