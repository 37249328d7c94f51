import type { Announcer, AnnouncerOptions } from './announcement.ts'
import { AVAHI_PATHS, type AvahiPaths, avahiRuns } from './avahi-socket.ts'
import { DiscoveryMemory } from './discovery-memory.ts'
import { whyUnwritable } from './write-service-file.ts'

/** What announces the device in the way that is asked for; nothing is told before `announce`. */
export async function createAnnouncer(options: AnnouncerOptions): Promise<Announcer> {
  const { folder, network, clock, random, log, avahi: paths = AVAHI_PATHS } = options
  const memory = new DiscoveryMemory(folder, log)
  // Of an earlier start that was killed.
  memory.removeServiceFiles()
  if (options.kind === 'avahi' || (options.kind === 'auto' && (await avahiServes(paths, options)))) {
    const { AvahiAnnouncer } = await import('./avahi-announcer.ts')
    return new AvahiAnnouncer({ clock, log, network, memory, paths })
  }
  const { OwnAnnouncer } = await import('./own-announcer.ts')
  return new OwnAnnouncer({ clock, random, log, network, memory })
}

/** Whether avahi is there and can be told of the device. Where it cannot be told, better an own responder beside it than a device not found. */
async function avahiServes(paths: AvahiPaths, { clock, log }: AnnouncerOptions): Promise<boolean> {
  if (!(await avahiRuns(paths.socket, clock))) return false
  const reason = whyUnwritable(paths.services)
  if (reason === undefined) return true
  log.warn(
    { reason },
    `avahi runs here but cannot be told of the device, which is announced by a responder of its own beside it: ${reason}`,
  )
  return false
}
