import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { Mutex, type Timer } from '@slotwire/core'
import { reachableAddresses } from '../network-doors.ts'
import type { AnnouncedService, Announcement, Announcer, AnnouncerOptions, AvahiPaths } from './announcement.ts'
import { hostLabel } from './announcement-zone.ts'
import { avahiHostName, avahiServiceFile, whyUnwritable, writeServiceFile } from './avahi.ts'
import { type DiscoveryMemory, serviceFileName } from './discovery-memory.ts'

/** Interval to check whether avahi still announces the host under the same name. */
const FOLLOW_MS = 2000
/** Number of own addresses to look up: one response is enough. */
const MAX_ASKED = 4

export interface AvahiAnnouncerOptions extends Pick<AnnouncerOptions, 'clock' | 'log' | 'network' | 'onRenamed'> {
  readonly memory: DiscoveryMemory
  readonly paths: AvahiPaths
}

/** Announces the device through the host's avahi, under avahi's name for the host. */
export class AvahiAnnouncer implements Announcer {
  /** avahi follows the networks. */
  readonly isStale = false
  readonly #mutex = new Mutex()
  #announcement: Announcement | undefined
  #hostName: string
  #isAnswering = true
  #timer: Timer | undefined

  constructor(private readonly options: AvahiAnnouncerOptions) {
    this.#hostName = hostLabel(options.network.hostName())
  }

  get hostName(): string {
    return this.#hostName
  }

  /** avahi reads the files at once and announces them within a second. Rejects if they cannot be written. */
  announce(announcement: Announcement): Promise<void> {
    return this.#mutex.run(async () => {
      const { log, memory } = this.options
      this.#hostName = (await this.#askHostName(announcement)) ?? this.#hostName
      const files = announcement.services.map((service) => this.#fileOf(service))
      // Before the files are written: if this process is killed, the next start finds them.
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
    return this.#mutex.run(async () => {
      this.#timer?.cancel()
      this.#announcement = undefined
      this.options.memory.removeServiceFiles()
    })
  }

  #fileOf({ name }: AnnouncedService): string {
    return join(this.options.paths.services, serviceFileName(name))
  }

  #writeFiles(announcement: Announcement): void {
    const reason = whyUnwritable(this.options.paths.services)
    if (reason !== undefined) throw new Error(`avahi cannot announce the device: ${reason}`)
    for (const service of announcement.services) {
      writeServiceFile(this.#fileOf(service), avahiServiceFile(announcement, service, this.#hostName))
    }
  }

  /** avahi announces its host name with every address of the host: a service file cannot restrict that. */
  #warnOfUnreachable({ addresses }: Announcement): void {
    const { log, network } = this.options
    const others = reachableAddresses(['::'], network.interfaces()).filter(
      (address) => !addresses.includes(address) && addresses.some((own) => isIPv6(own) === isIPv6(address)),
    )
    if (others.length === 0) return
    log.warn(
      { addresses: others },
      'avahi also announces addresses of this host without a listening door: listen there too, or set discovery to own',
    )
  }

  #follow(): void {
    const { clock, log } = this.options
    this.#timer?.cancel()
    this.#timer = clock.after(FOLLOW_MS, () => {
      const followed = this.#mutex.run(() => this.#followName())
      followed.catch((error: unknown) => log.error({ err: error }, 'the new name cannot be written for avahi'))
    })
  }

  async #followName(): Promise<void> {
    const announcement = this.#announcement
    const { log } = this.options
    if (announcement === undefined) return
    this.#follow()
    const hostName = await this.#askHostName(announcement)
    const answers = hostName !== undefined
    if (this.#isAnswering && !answers) log.warn({}, 'avahi does not answer: the device is not announced until avahi runs again')
    if (!this.#isAnswering && answers) log.info({}, 'avahi is back')
    this.#isAnswering = answers
    if (!answers || hostName === this.#hostName) return
    this.#hostName = hostName
    // Shortened names contain the host name: write the files again.
    this.#writeFiles(announcement)
    this.options.onRenamed(hostName)
  }

  async #askHostName({ addresses }: Announcement): Promise<string | undefined> {
    const { paths, clock } = this.options
    const some = addresses.slice(0, MAX_ASKED)
    const names = await Promise.all(some.map((address) => avahiHostName(paths.socket, address, clock)))
    return names.find((name) => name !== undefined)
  }
}
