import type { Clock, Log, Random } from '@slotwire/core'
import type { HostNetwork } from '../network-interfaces.ts'
import type { DiscoveryKind } from '../settings/settings.ts'
import type { Announcement, Announcer } from './announcement.ts'
import { AVAHI_PATHS, type AvahiPaths, whyUnwritable } from './avahi-paths.ts'
import { avahiRuns } from './avahi-socket.ts'
import { DiscoveryMemory } from './discovery-memory.ts'
import { hostLabel } from './host-label.ts'

export interface AnnouncerOptions {
  readonly kind: DiscoveryKind
  /** The state folder; `discovery.json` is in it. */
  readonly folder: string
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly avahi?: AvahiPaths
}

/** What announces the device in the way that is asked for; nothing is told before `announce`. */
export async function createAnnouncer(options: AnnouncerOptions): Promise<Announcer> {
  const { folder, network, clock, random, log, avahi: paths = AVAHI_PATHS } = options
  const memory = new DiscoveryMemory(folder, log)
  // Of an earlier start that was killed.
  memory.removeServiceFiles()
  if (options.kind === 'off') return new SilentAnnouncer(network.hostName())
  if (options.kind === 'avahi' || (options.kind === 'auto' && (await avahiServes(paths, clock, log)))) {
    const { AvahiAnnouncer } = await import('./avahi-announcer.ts')
    return new AvahiAnnouncer({ clock, log, network, memory, paths })
  }
  const { OwnAnnouncer } = await import('./own-announcer.ts')
  return new OwnAnnouncer({ clock, random, log, network, memory })
}

/** Whether avahi is there and can be told of the device. Where it cannot be told, better an own responder beside it than a device not found. */
async function avahiServes(paths: AvahiPaths, clock: Clock, log: Log): Promise<boolean> {
  if (!(await avahiRuns(paths.socket, clock))) return false
  const reason = whyUnwritable(paths)
  if (reason === undefined) return true
  log.warn(
    { reason },
    `avahi runs here but cannot be told of the device, which is announced by a responder of its own beside it: ${reason}`,
  )
  return false
}

/** Tells nobody. */
class SilentAnnouncer implements Announcer {
  #hostName: string

  constructor(hostName: string) {
    this.#hostName = hostLabel(hostName)
  }

  /** The one that is wished for. */
  get hostName(): string {
    return this.#hostName
  }

  announce({ hostName }: Announcement): Promise<void> {
    this.#hostName = hostLabel(hostName)
    return Promise.resolve()
  }

  onRenamed(): void {
    // Nobody else hears of the name.
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
