import type { Clock, Log, Random } from '@slotwire/core'
import type { WriteGuard } from '@slotwire/storage'
import type { HostNetwork, PlannedDoor } from '../network-doors.ts'
import type { Settings } from '../settings/settings.ts'

/** A service of the specification as announced: `io-module` at `/api/io/`. */
export interface AnnouncedService {
  readonly name: string
  readonly path: string
}

/** Data that mDNS publishes about a device; spec "Discovery (multicast DNS)". */
export interface Announcement {
  /** Preferred host name, without domain; if it is taken, the device uses a numeric suffix. */
  readonly hostName: string
  readonly vendor: string
  readonly services: readonly AnnouncedService[]
  /** The open network doors. */
  readonly doors: readonly Pick<PlannedDoor, 'scheme' | 'port'>[]
  /** Addresses of the doors in the network: never a loopback address. */
  readonly addresses: readonly string[]
  /** TXT keys `machine-id` and `tls-ca`. */
  readonly machineIdPath: string
  readonly tlsCaPath: string
}

/** avahi's files on this host. */
export interface AvahiPaths {
  /** Socket of its simple protocol. */
  readonly socket: string
  /** Folder of its service files. */
  readonly services: string
}

/** How a device is announced: by the host's avahi, by its own responder, or by avahi if it runs. */
export type AnnouncerKind = Exclude<Settings['discovery'], 'off'>

export interface AnnouncerOptions {
  readonly kind: AnnouncerKind
  /** The state folder; `discovery.json` is in it. */
  readonly folder: string
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly guard?: WriteGuard
  readonly avahi?: AvahiPaths
  /** Called with the new name after another host turned out to have the old one. */
  readonly onRenamed: (hostName: string) => void
}

/** Announces the device in the network until it is closed. */
export interface Announcer {
  /** The host name announced now, without domain; differs from the preferred one if that was taken. */
  readonly hostName: string
  /** Whether networks of the announcement changed, so that it must be announced again. */
  readonly isStale: boolean
  /** Replaces the announcement. Resolves when it has been sent. */
  announce(announcement: Announcement): Promise<void>
  /** Withdraws the announcement (goodbye). */
  close(): Promise<void>
}
