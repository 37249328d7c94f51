import { type Clock, type Log, Mutex, type Timer, type WallTime } from '@slotwire/core'
import type { Listen } from '@slotwire/edge'
import type { MetricSource } from '@slotwire/service'
import type { AuditLog } from './audit/audit-log.ts'
import { certificatesFolder } from './certificates/certificate-files.ts'
import { Certificates } from './certificates/certificates.ts'
import { serverNames } from './certificates/server-names.ts'
import type { AnnouncedService, Announcement, Announcer, AnnouncerKind } from './discovery/announcement.ts'
import { type DoorFailure, NetworkDoors, type NetworkDoorsOptions, type PlannedDoor, plannedDoors } from './network-doors.ts'
import { type HostNetwork, reachableAddresses } from './network-interfaces.ts'
import type { Settings } from './settings/settings.ts'

/** Addresses of the host come and go: they are looked at this often. */
const NETWORK_CHECK_MS = 60_000
/** Somebody may claim every name that we try: longer than this nobody waits to hear how it ends. */
const TOLD_WITHIN_MS = 5_000
/** Longest that leaving the network may take. */
const GOODBYE_MS = 1_000
/** Digits of the machine id that stand in the authority's name. */
const SHORT_ID_LENGTH = 8

export interface GatewayOptions {
  /** The state folder. */
  readonly folder: string
  readonly machineId: string
  /** All that is announced, those that are forwarded included. */
  readonly services: readonly AnnouncedService[]
  readonly network: HostNetwork
  readonly clock: Clock
  readonly wallTime: WallTime
  readonly log: Log
  readonly audit: AuditLog
  /** Makes what announces; called when the first door opens, and when the kind changes. */
  readonly createAnnouncer: (kind: AnnouncerKind) => Promise<Announcer>
}

/** The network side of a device: its doors, its certificates, and what it tells the network of itself; all as the settings say. */
export class Gateway {
  readonly #options: GatewayOptions
  /** Settings, doors and certificates: one change after the other. */
  readonly #changes = new Mutex()
  /** What is told: apart from the changes, for the network may let it take as long as it likes. */
  readonly #telling = new Mutex()
  #waitingToTell: Promise<void> | undefined
  #tellingNow = false
  #settings: Settings
  #doors: NetworkDoors | undefined
  #certificates: Certificates | undefined
  #announcer: { readonly kind: AnnouncerKind; readonly announcer: Announcer } | undefined
  /** What was announced last, to notice changes. */
  #announced = ''
  #check: Timer | undefined
  #missing: readonly DoorFailure[] = []
  #closed = false

  constructor(options: GatewayOptions, settings: Settings) {
    this.#options = options
    this.#settings = settings
  }

  /** As last applied. */
  get settings(): Settings {
    return this.#settings
  }

  /** PEM of the authority that clients are to trust; undefined while nothing here needs certificates. */
  get authorityPem(): string | undefined {
    return this.#certificates?.authorityPem
  }

  get listening(): readonly PlannedDoor[] {
    return this.#doors?.listening ?? []
  }

  /** Doors that could not be opened, and are tried again every minute: the address may come yet, the port become free. */
  get missing(): readonly DoorFailure[] {
    return this.#missing
  }

  /** Under which the device is announced now, without domain; undefined: it is not announced. */
  get announcedHostName(): string | undefined {
    return this.#announcer?.announcer.hostName
  }

  get metrics(): MetricSource {
    return () => this.#certificates?.metrics() ?? []
  }

  /** Opens the doors by `listen`. Tells those that could not be opened. Throws `OperatorError`. */
  open(listen: Listen, policy: NetworkDoorsOptions['policy']): Promise<readonly DoorFailure[]> {
    this.#doors = new NetworkDoors({ listen, policy, proxies: () => this.#settings.proxies, log: this.#options.log })
    return this.apply(this.#settings)
  }

  /**
   * From now on these settings count: doors are opened and closed, the certificate is renewed. Tells the doors that could not be opened: they
   * are tried again every minute. Throws `OperatorError` when there is no certificate for the new names; the rest is done all the same.
   */
  apply(settings: Settings): Promise<readonly DoorFailure[]> {
    return this.#changes.run(async () => {
      if (this.#closed || this.#doors === undefined) return []
      this.#settings = settings
      const certified = await this.#certify().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      const failures = await this.#openDoors()
      if (certified !== undefined) throw certified.error
      return failures
    })
  }

  /**
   * Tells the network of the doors that are open, and goes on doing so. A device that cannot be announced is served all the same. Resolves
   * when it has been told, or after a while.
   */
  async announce(): Promise<void> {
    // What is being told is out of date, and may take for ever.
    if (this.#tellingNow) void this.#stopAnnouncing()
    await this.#within(TOLD_WITHIN_MS, this.#waitingToTell ?? this.#tellInTurn())
  }

  /** Those who come while another waits for its turn share it. */
  #tellInTurn(): Promise<void> {
    let begun = false
    const told = this.#telling.run(() => {
      begun = true
      this.#waitingToTell = undefined
      return this.#announceNow()
    })
    if (!begun) this.#waitingToTell = told
    return told
  }

  /** Reads certificates that another process has changed. */
  async reloadCertificates(): Promise<void> {
    await this.#certificates?.reload()
  }

  /** Says goodbye, within a second. The doors are closed with their service. */
  async close(): Promise<void> {
    this.#closed = true
    this.#check?.cancel()
    // At once: it also ends an announcement that somebody keeps from succeeding.
    await this.#within(GOODBYE_MS, this.#stopAnnouncing())
    await this.#changes.run(async () => this.#certificates?.close())
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.after(ms, resolve)
      const done = (): void => {
        timer.cancel()
        resolve()
      }
      work.then(done, done)
    })
  }

  async #openDoors(): Promise<readonly DoorFailure[]> {
    const failures = (await this.#doors?.open(plannedDoors(this.#settings), this.#certificates?.current)) ?? []
    this.#missing = failures
    return failures
  }

  /** Certificates are needed by the own door, and by proxies that present them in its place. */
  async #certify(): Promise<void> {
    const { listen, proxies } = this.#settings
    if (this.#closed || (listen.length === 0 && proxies.length === 0)) return
    if (this.#certificates === undefined) {
      const { folder, machineId, clock, wallTime, log, audit } = this.#options
      const deviceName = `${this.#hostName()} ${machineId.slice(0, SHORT_ID_LENGTH)}`
      const options = { deviceName, clock, wallTime, log, audit }
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
      // A proxy may listen anywhere on this host.
      listen: proxies.length === 0 ? listen : ['::'],
      names,
      interfaces: this.#options.network.interfaces(),
    })
  }

  #hostName(): string {
    return this.#settings.hostName ?? this.#options.network.hostName()
  }

  async #announceNow(): Promise<void> {
    if (this.#closed) return
    this.#check?.cancel()
    this.#tellingNow = true
    try {
      await this.#tell()
    } catch (error) {
      this.#announced = ''
      this.#options.log.error({ err: error }, 'the device cannot be announced: it is tried again in a minute')
    } finally {
      this.#tellingNow = false
    }
    if (this.#closed || this.#settings.listen.length === 0) return
    this.#check = this.#options.clock.after(NETWORK_CHECK_MS, () => void this.#lookAgain())
  }

  /** Never rejects. */
  async #lookAgain(): Promise<void> {
    if (this.#missing.length > 0) await this.#changes.run(async () => (this.#closed ? [] : this.#openDoors()))
    await this.announce()
  }

  async #tell(): Promise<void> {
    const { discovery } = this.#settings
    const announcement = this.#announcement()
    const silent = discovery === 'off' || announcement.addresses.length === 0 || announcement.doors.length === 0
    if (silent || this.#announcer?.kind !== discovery) await this.#stopAnnouncing()
    if (silent) return
    this.#announcer ??= { kind: discovery, announcer: await this.#announcerOf(discovery) }
    const current = this.#announcer
    // Closed while it was made: nobody else would close it.
    if (this.#closed) await this.#stopAnnouncing()
    const text = JSON.stringify(announcement)
    if (this.#closed || text === this.#announced) return
    await current.announcer.announce(announcement)
    if (this.#announcer !== current) return
    this.#announced = text
    this.#warnOfOtherName(announcement.hostName, current.announcer.hostName)
    // The name may be another than was wished for.
    await this.#changes.run(() => this.#certify())
  }

  /** A suffix is nothing to warn of. */
  #warnOfOtherName(wished: string, hostName: string): void {
    if (hostName === wished.toLowerCase() || hostName.startsWith(`${wished.toLowerCase()}-`)) return
    this.#options.log.warn({ wished, hostName }, 'the device is announced under the name of its host, which avahi announces')
  }

  async #announcerOf(kind: AnnouncerKind): Promise<Announcer> {
    const { createAnnouncer, log } = this.#options
    const announcer = await createAnnouncer(kind)
    announcer.onRenamed((hostName) => {
      log.warn({ hostName }, 'another host has our name: the device is announced under this one')
      this.#changes
        .run(() => this.#certify())
        .catch((error: unknown) => log.error({ err: error }, 'there is no certificate for the new name'))
    })
    return announcer
  }

  /** Never rejects. */
  async #stopAnnouncing(): Promise<void> {
    const last = this.#announcer
    this.#announcer = undefined
    this.#announced = ''
    try {
      await last?.announcer.close()
    } catch (error) {
      this.#options.log.error({ err: error }, 'the device could not say goodbye to the network')
    }
  }

  #announcement(): Announcement {
    const { listen, vendor, machineIdPath, tlsCaPath } = this.#settings
    const doors = this.listening.map(({ scheme, port }) => ({ scheme, port }))
    return {
      hostName: this.#hostName().split('.')[0] ?? '',
      vendor,
      services: this.#options.services,
      doors: doors.filter(
        (door, index) => doors.findIndex((other) => other.scheme === door.scheme && other.port === door.port) === index,
      ),
      addresses: reachableAddresses(listen, this.#options.network.interfaces()),
      machineIdPath,
      tlsCaPath,
    }
  }
}
