import type { Clock, Log, Random } from '@slotwire/core'
import type { HostNetwork } from '../network-interfaces.ts'
import type { DiscoveryKind } from '../settings/settings.ts'
import type { AvahiPaths } from './avahi-socket.ts'

/** A service of the specification, as it is announced: `io-module` at `/api/io/`. */
export interface AnnouncedService {
  readonly name: string
  readonly path: string
}

/** A network door that is open. */
export interface AnnouncedDoor {
  readonly scheme: 'http' | 'https'
  readonly port: number
}

/** All that mDNS tells of a device; spec "Discovery (multicast DNS)". */
export interface Announcement {
  /** Wished for, without domain; a name that is taken gets a numeric suffix. */
  readonly hostName: string
  readonly vendor: string
  readonly services: readonly AnnouncedService[]
  readonly doors: readonly AnnouncedDoor[]
  /** At which the doors can be reached from the network: never a loopback address. */
  readonly addresses: readonly string[]
  /** TXT keys `machine-id` and `tls-ca`. */
  readonly machineIdPath: string
  readonly tlsCaPath: string
}

/** How a device can be announced: by the host's avahi, by itself, or by avahi where it runs. */
export type AnnouncerKind = Exclude<DiscoveryKind, 'off'>

export interface AnnouncerOptions {
  readonly kind: AnnouncerKind
  /** The state folder; `discovery.json` is in it. */
  readonly folder: string
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly avahi?: AvahiPaths
}

/** Tells the network of the device, until it is closed. */
export interface Announcer {
  /** The host name under which the device is known now, without domain; differs from the wish when that was taken. */
  readonly hostName: string
  /** Replaces what is told. Resolves when it is out. */
  announce(announcement: Announcement): Promise<void>
  /** `listener` is called when another host turned out to have the name, with the new one. */
  onRenamed(listener: (hostName: string) => void): void
  /** Takes everything back (goodbye). */
  close(): Promise<void>
}
