import { join } from 'node:path'
import { type Clock, Listeners, type Log, type Timer, Turns } from '@slotwire/core'
import type { HostNetwork } from '../network-interfaces.ts'
import type { AnnouncedService, Announcement, Announcer } from './announcement.ts'
import { type AvahiPaths, whyUnwritable } from './avahi-paths.ts'
import { avahiServiceFile } from './avahi-service-file.ts'
import { avahiHostName } from './avahi-socket.ts'
import { type DiscoveryMemory, serviceFileName } from './discovery-memory.ts'
import { hostLabel } from './host-label.ts'
import { isLinkLocal } from './mdns/ip-address.ts'
import { writeServiceFile } from './write-service-file.ts'

/** The device cannot be announced as it was asked for; says why and what to do. */
class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError'
}

/** avahi is asked this often whether it still announces the host under the same name. */
const FOLLOW_MS = 2000
/** Of the own addresses so many are asked for: one answer will do. */
const MAX_ASKED = 4

export interface AvahiAnnouncerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly network: HostNetwork
  readonly memory: DiscoveryMemory
  readonly paths: AvahiPaths
}

/** Announces the device through the host's avahi, under the name that avahi gives the host. */
export class AvahiAnnouncer implements Announcer {
  readonly #options: AvahiAnnouncerOptions
  readonly #turns = new Turns()
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

  /** avahi reads the files at once, and tells the network within a second. Throws `DiscoveryError` when they cannot be written. */
  announce(announcement: Announcement): Promise<void> {
    return this.#turns.run(async () => {
      const { log, memory, paths } = this.#options
      this.#hostName = (await this.#askHostName(announcement)) ?? this.#hostName
      const files = announcement.services.map((service) => ({ service, path: filePath(paths, service) }))
      const written = files.map(({ path }) => path)
      // First of all, so that the next start finds them if this process is killed.
      memory.rememberServiceFiles([...new Set([...memory.serviceFiles, ...written])])
      for (const { service, path } of files) this.#write(path, avahiServiceFile(announcement, service, this.#hostName))
      memory.removeServiceFiles(written)
      this.#announcement = announcement
      log.info({ hostName: this.#hostName, files: written }, 'avahi announces the device')
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

  #write(path: string, text: string): void {
    const reason = whyUnwritable(this.#options.paths)
    if (reason !== undefined) throw new DiscoveryError(`avahi cannot be told of the device: ${reason}`)
    writeServiceFile(path, text)
  }

  /** avahi announces its host name with every address of the host: a file cannot choose. */
  #warnOfUnreachable({ addresses }: Announcement): void {
    const { log, network } = this.#options
    const families = new Set(addresses.map((address) => address.includes(':')))
    const others = Object.values(network.interfaces())
      .flatMap((infos) => infos ?? [])
      .filter(({ internal, address }) => !internal && families.has(address.includes(':')) && !isLinkLocal(address))
      .filter(({ address }) => !addresses.includes(address))
      .map(({ address }) => address)
    if (others.length === 0) return
    log.warn(
      { addresses: others },
      'avahi also announces addresses of this host at which no door listens: listen there too, or set discovery to own',
    )
  }

  #follow(): void {
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(FOLLOW_MS, () => void this.#lookAtName())
  }

  async #lookAtName(): Promise<void> {
    try {
      await this.#turns.run(() => this.#followName())
    } catch (error) {
      this.#options.log.error({ err: error }, 'avahi cannot be told of the new name')
    }
  }

  async #followName(): Promise<void> {
    const announcement = this.#announcement
    if (announcement === undefined) return
    this.#follow()
    const hostName = await this.#askHostName(announcement)
    this.#noteAnswer(hostName !== undefined)
    if (hostName !== undefined && hostName !== this.#hostName) {
      this.#hostName = hostName
      // Names too long for avahi to put together are in the files.
      for (const service of announcement.services) {
        this.#write(filePath(this.#options.paths, service), avahiServiceFile(announcement, service, hostName))
      }
      this.#renamed.emit(hostName)
    }
  }

  #noteAnswer(answers: boolean): void {
    const { log } = this.#options
    if (this.#answers && !answers) log.warn({}, 'avahi does not answer: the device is not announced until it is back')
    if (!this.#answers && answers) log.info({}, 'avahi is back')
    this.#answers = answers
  }

  async #askHostName({ addresses }: Announcement): Promise<string | undefined> {
    const { paths, clock } = this.#options
    const asked = addresses.slice(0, MAX_ASKED)
    const names = await Promise.all(asked.map((address) => avahiHostName(paths.socket, address, clock)))
    return names.find((name) => name !== undefined)
  }
}

function filePath(paths: AvahiPaths, service: AnnouncedService): string {
  return join(paths.services, serviceFileName(service.name))
}
