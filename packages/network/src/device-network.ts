import { type Clock, type Log, Mutex, type Timer, type WallTime, withDeadline } from '@slotwire/core'
import type { Listen } from '@slotwire/edge'
import type { WriteGuard } from '@slotwire/storage'
import type { AuditLog } from './audit/audit-log.ts'
import { Certificates } from './certificates/certificates.ts'
import { serverNames } from './certificates/server-names.ts'
import { certificatesFolder } from './certificates/stored-certificates.ts'
import type { AnnouncedService, Announcement, Announcer, AnnouncerKind, AnnouncerOptions } from './discovery/announcement.ts'
import { foreignServiceFiles } from './discovery/avahi.ts'
import {
  type DoorFailure,
  type HostNetwork,
  NetworkDoors,
  type NetworkDoorsOptions,
  type PlannedDoor,
  plannedDoors,
  reachableAddresses,
} from './network-doors.ts'
import type { Settings } from './settings/settings.ts'

/** Interval to check the addresses of the host. */
const NETWORK_CHECK_MS = 60_000
/** Longest wait for an announcement: another host may claim every name. */
const ANNOUNCE_WAIT_MS = 5_000
/** Longest wait for the goodbye. */
const GOODBYE_MS = 1_000
/** Digits of the machine id in the authority's name. */
const SHORT_ID_LENGTH = 8

export interface DeviceNetworkOptions {
  /** The state folder. */
  readonly folder: string
  readonly machineId: string
  /** All announced services. */
  readonly services: readonly AnnouncedService[]
  readonly network: HostNetwork
  readonly clock: Clock
  readonly wallTime: WallTime
  readonly log: Log
  readonly audit: AuditLog
  /** Around every change of a certificate. */
  readonly guard?: WriteGuard
  /** Folder of avahi's files; default that of the system. */
  readonly avahiFolder?: string
  /** Creates the announcer; called when the first door opens and when the kind changes. */
  readonly makeAnnouncer: (kind: AnnouncerKind, onRenamed: AnnouncerOptions['onRenamed']) => Promise<Announcer>
}

/** The network side of a device: doors, certificates and announcement, as configured by the settings. */
export class DeviceNetwork {
  /** Serializes changes of settings, doors and certificates. */
  readonly #changes = new Mutex()
  /** Serializes announcements. Separate from the changes: an announcement may take arbitrarily long. */
  readonly #announcements = new Mutex()
  #queued: Promise<void> | undefined
  #isAnnouncing = false
  /** The next announcement joins the networks again. */
  #mustRejoin = false
  #settings: Settings
  #doors: NetworkDoors | undefined
  #certificates: Certificates | undefined
  #announcer: { readonly kind: AnnouncerKind; readonly announcer: Announcer } | undefined
  /** The last announcement, to detect changes. */
  #announced = ''
  /** Files of avahi that announce the same services. */
  #foreign = ''
  #check: Timer | undefined
  #missing: readonly DoorFailure[] = []
  #closed = false

  constructor(
    private readonly options: DeviceNetworkOptions,
    settings: Settings,
  ) {
    this.#settings = settings
  }

  /** The settings last applied. */
  get settings(): Settings {
    return this.#settings
  }

  /** Undefined while no certificates are needed. */
  get certificates(): Certificates | undefined {
    return this.#certificates
  }

  get listening(): readonly PlannedDoor[] {
    return this.#doors?.listening ?? []
  }

  /** Doors that could not be opened. They are tried again every minute: the address may appear or the port become free. */
  get missing(): readonly DoorFailure[] {
    return this.#missing
  }

  /** The host name announced now, without domain; undefined: the device is not announced. */
  get announcedHostName(): string | undefined {
    return this.#announcer?.announcer.hostName
  }

  /** Opens the doors with `listen`. Resolves with those that failed. Throws `OperatorError`. */
  open(listen: Listen, policy: NetworkDoorsOptions['policy']): Promise<readonly DoorFailure[]> {
    this.#doors = new NetworkDoors({ listen, policy, proxies: () => this.#settings.proxies, log: this.options.log })
    return this.apply(this.#settings)
  }

  /**
   * Applies settings: opens and closes doors and renews the certificate. Resolves with the doors that failed; they are tried again every
   * minute. Throws `OperatorError` if there is no certificate for the new names, after all other changes are made.
   */
  apply(settings: Settings): Promise<readonly DoorFailure[]> {
    return this.#changes.run(async () => {
      if (this.#closed || this.#doors === undefined) return []
      this.#settings = settings
      const certified = await this.#updateCertificate().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      const failures = await this.#openDoors()
      if (certified !== undefined) throw certified.error
      return failures
    })
  }

  /** Joins the networks again, and announces the open doors from now on. Errors do not affect the doors. Resolves after at most 5 s. */
  async announce(): Promise<void> {
    this.#mustRejoin = true
    await this.#announceSoon()
  }

  async #announceSoon(): Promise<void> {
    // A running announcement is out of date, and may never succeed.
    if (this.#isAnnouncing) void this.#stopAnnouncing()
    const announced = this.#queued ?? this.#queueAnnouncement()
    await withDeadline(this.options.clock, ANNOUNCE_WAIT_MS, announced, 'not announced').catch(() => undefined)
  }

  /** Calls that arrive while an announcement is queued share it. */
  #queueAnnouncement(): Promise<void> {
    let isStarted = false
    const announced = this.#announcements.run(() => {
      isStarted = true
      this.#queued = undefined
      return this.#announceNow()
    })
    if (!isStarted) this.#queued = announced
    return announced
  }

  /** Reads the certificates again after another process changed them. */
  async reloadCertificates(): Promise<void> {
    await this.#certificates?.reload()
  }

  /** Says goodbye within a second. The service closes the doors. */
  async close(): Promise<void> {
    this.#closed = true
    this.#check?.cancel()
    // Not queued: this also ends an announcement that cannot succeed.
    await withDeadline(this.options.clock, GOODBYE_MS, this.#stopAnnouncing(), 'no goodbye').catch(() => undefined)
    await this.#changes.run(async () => this.#certificates?.close())
  }

  async #openDoors(): Promise<readonly DoorFailure[]> {
    const failures = (await this.#doors?.open(plannedDoors(this.#settings), this.#certificates?.current)) ?? []
    this.#missing = failures
    return failures
  }

  /** Certificates are needed by network doors, and by proxies that present them instead. */
  async #updateCertificate(): Promise<void> {
    const { listen, proxies } = this.#settings
    if (this.#closed || (listen.length === 0 && proxies.length === 0)) return
    if (this.#certificates === undefined) {
      const { folder, machineId, clock, wallTime, log, audit, guard } = this.options
      const deviceName = `${this.#hostName()} ${machineId.slice(0, SHORT_ID_LENGTH)}`
      const options = { deviceName, clock, wallTime, log, audit, guard }
      this.#certificates = await Certificates.open({ folder: certificatesFolder(folder), ...options })
      this.#certificates.onRenewed((certificate) => this.#doors?.renew(certificate))
    }
    await this.#certificates.use(() => this.#names())
  }

  #names() {
    const { listen, proxies, names } = this.#settings
    return serverNames({
      hostName: this.#hostName(),
      announcedHostName: this.announcedHostName,
      // A proxy may listen on any address of this host.
      listen: proxies.length === 0 ? listen : ['::'],
      names,
      interfaces: this.options.network.interfaces(),
    })
  }

  #hostName(): string {
    return this.#settings.hostName ?? this.options.network.hostName()
  }

  async #announceNow(): Promise<void> {
    if (this.#closed) return
    this.#check?.cancel()
    this.#isAnnouncing = true
    try {
      await this.#updateAnnouncement()
    } catch (error) {
      this.#announced = ''
      this.options.log.error({ err: error }, 'the device cannot be announced: the next attempt is in a minute')
    } finally {
      this.#isAnnouncing = false
    }
    if (this.#closed || this.#settings.listen.length === 0) return
    this.#check = this.options.clock.after(NETWORK_CHECK_MS, () => void this.#recheck())
  }

  /** Never rejects. */
  async #recheck(): Promise<void> {
    if (this.#missing.length > 0) await this.#changes.run(async () => (this.#closed ? [] : this.#openDoors()))
    await this.#announceSoon()
  }

  async #updateAnnouncement(): Promise<void> {
    const { discovery } = this.#settings
    const announcement = this.#announcement()
    const isReachable = announcement.addresses.length > 0 && announcement.doors.length > 0
    const isOff = discovery === 'off' || !isReachable || (discovery === 'auto' && this.#isAnnouncedByOthers())
    if (isOff || this.#mustRejoin || this.#announcer?.kind !== discovery) await this.#stopAnnouncing()
    this.#mustRejoin = false
    if (isOff) return
    this.#announcer ??= { kind: discovery, announcer: await this.#announcerOf(discovery) }
    const current = this.#announcer
    // Closed while the announcer was created: close it here.
    if (this.#closed) await this.#stopAnnouncing()
    const text = JSON.stringify(announcement)
    if (this.#closed || (text === this.#announced && !current.announcer.isStale)) return
    await current.announcer.announce(announcement)
    if (this.#announcer !== current) return
    this.#announced = text
    this.#warnOfOtherName(announcement.hostName, current.announcer.hostName)
    // The announced name may differ from the preferred one.
    await this.#changes.run(() => this.#updateCertificate())
  }

  /** While avahi announces the original services, clients would find each service twice. */
  #isAnnouncedByOthers(): boolean {
    const { services, avahiFolder, log } = this.options
    const files = foreignServiceFiles(services, avahiFolder)
    if (files.length > 0 && files.join() !== this.#foreign)
      log.warn(
        { files },
        'avahi announces these services with files of other programs, so Slotwire does not: set discovery to own',
      )
    this.#foreign = files.join()
    return files.length > 0
  }

  /** A numeric suffix needs no warning. */
  #warnOfOtherName(preferredName: string, hostName: string): void {
    if (hostName === preferredName.toLowerCase() || hostName.startsWith(`${preferredName.toLowerCase()}-`)) return
    this.options.log.warn({ preferredName, hostName }, 'avahi announces the device under the name of its host')
  }

  #announcerOf(kind: AnnouncerKind): Promise<Announcer> {
    const { makeAnnouncer, log } = this.options
    return makeAnnouncer(kind, (hostName) => {
      log.warn({ hostName }, 'another host has the same name: the device is announced under a new one')
      this.#changes
        .run(() => this.#updateCertificate())
        .catch((error: unknown) => log.error({ err: error }, 'there is no certificate for the new name'))
    })
  }

  /** Never rejects. */
  async #stopAnnouncing(): Promise<void> {
    const last = this.#announcer
    this.#announcer = undefined
    this.#announced = ''
    try {
      await last?.announcer.close()
    } catch (error) {
      this.options.log.error({ err: error }, 'the device could not say goodbye to the network')
    }
  }

  #announcement(): Announcement {
    const { listen, vendor, machineIdPath, tlsCaPath } = this.#settings
    const doors = this.listening.map(({ scheme, port }) => ({ scheme, port }))
    return {
      hostName: this.#hostName().split('.')[0] ?? '',
      vendor,
      services: this.options.services,
      doors: doors.filter(
        (door, index) => doors.findIndex((other) => other.scheme === door.scheme && other.port === door.port) === index,
      ),
      addresses: reachableAddresses(listen, this.options.network.interfaces()),
      machineIdPath,
      tlsCaPath,
    }
  }
}
