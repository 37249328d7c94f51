import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { Listeners, Mutex, type Timer } from '@slotwire/core'
import { reachableAddresses } from '../network-interfaces.ts'
import type { AnnouncedService, Announcement, Announcer, AnnouncerOptions } from './announcement.ts'
import { avahiServiceFile } from './avahi-service-file.ts'
import { type AvahiPaths, avahiHostName } from './avahi-socket.ts'
import { type DiscoveryMemory, serviceFileName } from './discovery-memory.ts'
import { hostLabel } from './host-label.ts'
import { whyUnwritable, writeServiceFile } from './write-service-file.ts'

/** avahi is asked this often whether it still announces the host under the same name. */
const FOLLOW_MS = 2000
/** Of the own addresses so many are asked for: one answer will do. */
const MAX_ASKED = 4

export interface AvahiAnnouncerOptions extends Pick<AnnouncerOptions, 'clock' | 'log' | 'network'> {
  readonly memory: DiscoveryMemory
  readonly paths: AvahiPaths
}

/** Announces the device through the host's avahi, under the name that avahi gives the host. */
export class AvahiAnnouncer implements Announcer {
  readonly #options: AvahiAnnouncerOptions
  readonly #turns = new Mutex()
  readonly #renamed = new Listeners<string>()
  #announcement: Announcement | undefined
  #hostName: string
  #answers = true
  #timer: Timer | undefined

  constructor(options: AvahiAnnouncerOptions) {
    this.#options = options
    this.#hostName = hostLabel(options.network.hostName())
  }

  get hostName(): string {
    return this.#hostName
  }

  onRenamed(listener: (hostName: string) => void): void {
    this.#renamed.add(listener)
  }

  /** avahi reads the files at once, and tells the network within a second. Rejects when they cannot be written. */
  announce(announcement: Announcement): Promise<void> {
    return this.#turns.run(async () => {
      const { log, memory } = this.#options
      this.#hostName = (await this.#askHostName(announcement)) ?? this.#hostName
      const files = announcement.services.map((service) => this.#fileOf(service))
      // First of all, so that the next start finds them if this process is killed.
      memory.rememberServiceFiles([...new Set([...memory.serviceFiles, ...files])])
      this.#writeFiles(announcement)
      memory.removeServiceFiles(files)
      this.#announcement = announcement
      log.info({ hostName: this.#hostName, files }, 'avahi announces the device')
      this.#warnOfUnreachable(announcement)
      this.#follow()
    })
  }

  close(): Promise<void> {
    return this.#turns.run(async () => {
      this.#timer?.cancel()
      this.#announcement = undefined
      this.#options.memory.removeServiceFiles()
    })
  }

  #fileOf({ name }: AnnouncedService): string {
    return join(this.#options.paths.services, serviceFileName(name))
  }

  #writeFiles(announcement: Announcement): void {
    const reason = whyUnwritable(this.#options.paths.services)
    if (reason !== undefined) throw new Error(`avahi cannot be told of the device: ${reason}`)
    for (const service of announcement.services) {
      writeServiceFile(this.#fileOf(service), avahiServiceFile(announcement, service, this.#hostName))
    }
  }

  /** avahi announces its host name with every address of the host: a file cannot choose. */
  #warnOfUnreachable({ addresses }: Announcement): void {
    const { log, network } = this.#options
    const others = reachableAddresses(['::'], network.interfaces()).filter(
      (address) => !addresses.includes(address) && addresses.some((own) => isIPv6(own) === isIPv6(address)),
    )
    if (others.length === 0) return
    log.warn(
      { addresses: others },
      'avahi also announces addresses of this host at which no door listens: listen there too, or set discovery to own',
    )
  }

  #follow(): void {
    const { clock, log } = this.#options
    this.#timer?.cancel()
    this.#timer = clock.after(FOLLOW_MS, () => {
      const followed = this.#turns.run(() => this.#followName())
      followed.catch((error: unknown) => log.error({ err: error }, 'avahi cannot be told of the new name'))
    })
  }

  async #followName(): Promise<void> {
    const announcement = this.#announcement
    const { log } = this.#options
    if (announcement === undefined) return
    this.#follow()
    const hostName = await this.#askHostName(announcement)
    const answers = hostName !== undefined
    if (this.#answers && !answers) log.warn({}, 'avahi does not answer: the device is not announced until it is back')
    if (!this.#answers && answers) log.info({}, 'avahi is back')
    this.#answers = answers
    if (!answers || hostName === this.#hostName) return
    this.#hostName = hostName
    // Names too long for avahi to put together are in the files.
    this.#writeFiles(announcement)
    this.#renamed.emit(hostName)
  }

  async #askHostName({ addresses }: Announcement): Promise<string | undefined> {
    const { paths, clock } = this.#options
    const asked = addresses.slice(0, MAX_ASKED)
    const names = await Promise.all(asked.map((address) => avahiHostName(paths.socket, address, clock)))
    return names.find((name) => name !== undefined)
  }
}
