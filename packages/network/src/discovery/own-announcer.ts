import { isDeepStrictEqual } from 'node:util'
import { Mutex } from '@slotwire/core'
import type { NetworkInterfaces } from '../network-doors.ts'
import type { Announcement, Announcer, AnnouncerOptions } from './announcement.ts'
import { hostLabel, interfacesWith, nextHostLabel, zoneOf } from './announcement-zone.ts'
import type { DiscoveryMemory } from './discovery-memory.ts'
import { type MulticastLink, openMulticastLink } from './mdns/open-link.ts'
import { Responder } from './mdns/responder.ts'

export interface OwnAnnouncerOptions extends Pick<AnnouncerOptions, 'clock' | 'random' | 'log' | 'network' | 'onRenamed'> {
  readonly memory: DiscoveryMemory
  /** Joins the networks of interfaces. */
  readonly openLink?: typeof openMulticastLink
}

/** RFC 6762 section 8.1: after 15 conflicts each further attempt waits 5 s, until 30 s pass without a conflict. */
const MAX_CONFLICTS = 15
const CONFLICT_WAIT_MS = 5000
const CALM_MS = 30_000

/** The present announcement. */
interface CurrentAnnouncement {
  readonly announcement: Announcement
  readonly interfaces: NetworkInterfaces
  readonly link: MulticastLink
  readonly responder: Responder
}

/** Announces the device with a responder in this process. */
export class OwnAnnouncer implements Announcer {
  readonly #mutex = new Mutex()
  readonly #closing = new AbortController()
  #current: CurrentAnnouncement | undefined
  #preferredName: string
  #hostName: string
  #conflicts = 0
  #lastConflictAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: OwnAnnouncerOptions) {
    this.#preferredName = hostLabel(options.network.hostName())
    this.#hostName = options.memory.hostNameFor(this.#preferredName)
  }

  get hostName(): string {
    return this.#hostName
  }

  get isStale(): boolean {
    const { network } = this.options
    const current = this.#current
    return current !== undefined && !isCurrent(current, interfacesWith(current.announcement.addresses, network.interfaces()))
  }

  /** Throws `MulticastUnavailable` if no network can be used. */
  announce(announcement: Announcement): Promise<void> {
    return this.#mutex.run(async () => {
      if (this.#closing.signal.aborted) return
      const preferredName = hostLabel(announcement.hostName)
      const hostName = preferredName === this.#preferredName ? this.#hostName : this.options.memory.hostNameFor(preferredName)
      this.#preferredName = preferredName
      this.#current = await this.#prepare(announcement)
      await this.#publish(this.#current, hostName)
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the announcer is closed'))
    await this.#mutex.run(async () => {
      await this.#current?.responder.close()
      this.#current = undefined
    })
  }

  /** Prepares a responder for the interfaces of this announcement; keeps the present one if they are the same. */
  async #prepare(announcement: Announcement): Promise<CurrentAnnouncement> {
    const { network, log, clock, random, openLink = openMulticastLink } = this.options
    const all = network.interfaces()
    const interfaces = interfacesWith(announcement.addresses, all)
    const before = this.#current
    if (before !== undefined && isCurrent(before, interfaces)) return { ...before, announcement }
    this.#current = undefined
    if (before !== undefined) log.info({ interfaces: Object.keys(interfaces) }, 'the networks changed: joining them again')
    await before?.responder.close()
    const link = await openLink(all, Object.keys(interfaces), log)
    const responder = new Responder({ link, clock, random })
    responder.onConflict(() => void this.#reclaim(responder))
    return { announcement, interfaces, link, responder }
  }

  /** Announces the device under this name or the next free one. Ends early when the announcer is closed. */
  async #publish({ announcement, interfaces, responder }: CurrentAnnouncement, first: string): Promise<void> {
    const { signal } = this.#closing
    try {
      for (let hostName = first; ; hostName = nextHostLabel(this.#preferredName, hostName)) {
        const zone = zoneOf(announcement, hostName, interfaces)
        if (!responder.owns(zone) && !(await responder.claim(zone, signal))) {
          await this.#waitAfterConflict()
          continue
        }
        if (signal.aborted) return
        await responder.publish(zone)
        this.options.memory.rememberHostName(this.#preferredName, hostName)
        this.#hostName = hostName
        if (hostName !== first) this.options.onRenamed(hostName)
        return
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Probes again after another host used the name: the host that wins keeps it. */
  async #reclaim(responder: Responder): Promise<void> {
    const { log } = this.options
    try {
      await this.#mutex.run(async () => {
        const current = this.#current
        if (current?.responder !== responder) return
        log.info({ hostName: this.#hostName }, 'another host uses the same name: probing for it again')
        await this.#waitAfterConflict()
        await this.#publish(current, this.#hostName)
      })
    } catch (error) {
      if (!this.#closing.signal.aborted) log.error({ err: error }, 'the device is not announced any more')
    }
  }
  /** Resolves when the next attempt may start: limits traffic if all names are taken. */
  async #waitAfterConflict(): Promise<void> {
    const { clock } = this.options
    const isCalm = clock.now() - this.#lastConflictAt >= CALM_MS
    this.#lastConflictAt = clock.now()
    this.#conflicts = isCalm ? 1 : this.#conflicts + 1
    if (this.#conflicts >= MAX_CONFLICTS) await clock.sleep(CONFLICT_WAIT_MS, this.#closing.signal)
  }
}

function isCurrent({ interfaces, link }: CurrentAnnouncement, now: NetworkInterfaces): boolean {
  return isDeepStrictEqual(interfaces, now) && link.isJoined
}
