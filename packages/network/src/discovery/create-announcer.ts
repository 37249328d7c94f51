import type { Announcer, AnnouncerOptions, AvahiPaths } from './announcement.ts'
import { AVAHI_PATHS, avahiRuns, whyUnwritable } from './avahi.ts'
import { DiscoveryMemory } from './discovery-memory.ts'

/** Creates the announcer of the requested kind; it announces nothing before `announce`. */
export async function createAnnouncer(options: AnnouncerOptions): Promise<Announcer> {
  const { folder, log, guard, avahi: paths = AVAHI_PATHS } = options
  const memory = new DiscoveryMemory(folder, log, guard)
  // Files of an earlier process that was killed.
  memory.removeServiceFiles()
  if (options.kind === 'avahi' || (options.kind === 'auto' && (await avahiServes(paths, options)))) {
    const { AvahiAnnouncer } = await import('./avahi-announcer.ts')
    return new AvahiAnnouncer({ ...options, memory, paths })
  }
  const { OwnAnnouncer } = await import('./own-announcer.ts')
  return new OwnAnnouncer({ ...options, memory })
}

/** Whether avahi runs and its folder can be written. If it cannot be written, the device's own responder runs beside avahi. */
async function avahiServes(paths: AvahiPaths, { clock, log }: AnnouncerOptions): Promise<boolean> {
  if (!(await avahiRuns(paths.socket, clock))) return false
  const reason = whyUnwritable(paths.services)
  if (reason === undefined) return true
  log.warn({ reason }, `avahi runs here but cannot announce the device, so the device uses its own responder: ${reason}`)
  return false
}
