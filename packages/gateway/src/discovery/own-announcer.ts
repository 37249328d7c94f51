import { isDeepStrictEqual } from 'node:util'
import { Listeners, Mutex } from '@slotwire/core'
import type { NetworkInterfaces } from '../network-interfaces.ts'
import type { Announcement, Announcer, AnnouncerOptions } from './announcement.ts'
import { interfacesWith, zoneOf } from './announcement-zone.ts'
import type { DiscoveryMemory } from './discovery-memory.ts'
import { hostLabel, nextHostLabel } from './host-label.ts'
import { openMulticastLink } from './mdns/open-link.ts'
import { Responder } from './mdns/responder.ts'

export interface OwnAnnouncerOptions extends Pick<AnnouncerOptions, 'clock' | 'random' | 'log' | 'network'> {
  readonly memory: DiscoveryMemory
  /** Joins the networks behind interfaces. */
  readonly openLink?: typeof openMulticastLink
}

/** RFC 6762 section 8.1: after 15 conflicts each further attempt waits 5 s, until there was none for 30 s. */
const MAX_CONFLICTS = 15
const CONFLICT_WAIT_MS = 5000
const CALM_MS = 30_000

/** What is told, where. */
interface Told {
  readonly announcement: Announcement
  readonly interfaces: NetworkInterfaces
  readonly responder: Responder
}

/** Announces the device by a responder in this process. */
export class OwnAnnouncer implements Announcer {
  readonly #options: OwnAnnouncerOptions
  readonly #turns = new Mutex()
  readonly #renamed = new Listeners<string>()
  readonly #closing = new AbortController()
  #told: Told | undefined
  #wish: string
  #hostName: string
  #conflicts = 0
  #lastConflictAt = Number.NEGATIVE_INFINITY

  constructor(options: OwnAnnouncerOptions) {
    this.#options = options
    this.#wish = hostLabel(options.network.hostName())
    this.#hostName = options.memory.hostNameFor(this.#wish)
  }

  get hostName(): string {
    return this.#hostName
  }

  onRenamed(listener: (hostName: string) => void): void {
    this.#renamed.add(listener)
  }

  /** Throws `MulticastUnavailable` when no network can be used. */
  announce(announcement: Announcement): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#closing.signal.aborted) return
      const wish = hostLabel(announcement.hostName)
      const hostName = wish === this.#wish ? this.#hostName : this.#options.memory.hostNameFor(wish)
      this.#wish = wish
      this.#told = await this.#prepare(announcement)
      await this.#tell(this.#told, hostName)
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the announcer is closed'))
    await this.#turns.run(async () => {
      await this.#told?.responder.close()
      this.#told = undefined
    })
  }

  /** Speaks on the interfaces that this announcement needs: on the same ones as before, it goes on. */
  async #prepare(announcement: Announcement): Promise<Told> {
    const { network, log, clock, random, openLink = openMulticastLink } = this.#options
    const all = network.interfaces()
    const interfaces = interfacesWith(announcement.addresses, all)
    const before = this.#told
    if (before !== undefined && isDeepStrictEqual(interfaces, before.interfaces)) return { ...before, announcement }
    this.#told = undefined
    await before?.responder.close()
    const link = await openLink(all, Object.keys(interfaces), log)
    const responder = new Responder({ link, clock, random })
    responder.onConflict(() => void this.#reclaim(responder))
    return { announcement, interfaces, responder }
  }

  /** Tells of the device under this name, or under the next one that is free. Ends early when the announcer is closed. */
  async #tell({ announcement, interfaces, responder }: Told, first: string): Promise<void> {
    const { signal } = this.#closing
    try {
      for (let hostName = first; ; hostName = nextHostLabel(this.#wish, hostName)) {
        const zone = zoneOf(announcement, hostName, interfaces)
        if (!responder.owns(zone) && !(await responder.claim(zone, signal))) {
          await this.#afterConflict()
          continue
        }
        if (signal.aborted) return
        await responder.publish(zone)
        this.#options.memory.rememberHostName(this.#wish, hostName)
        this.#hostName = hostName
        if (hostName !== first) this.#renamed.emit(hostName)
        return
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Somebody else turned out to have our name: whoever can show that it is his keeps it. */
  async #reclaim(responder: Responder): Promise<void> {
    const { log } = this.#options
    try {
      await this.#turns.run(async () => {
        const told = this.#told
        if (told?.responder !== responder) return
        log.info({ hostName: this.#hostName }, 'another host says something else under our name: who has it is found out')
        await this.#afterConflict()
        await this.#tell(told, this.#hostName)
      })
    } catch (error) {
      if (!this.#closing.signal.aborted) log.error({ err: error }, 'the device is not announced any more')
    }
  }
  /** Resolves when the next attempt may be made: a host that is never left a name does not flood the network. */
  async #afterConflict(): Promise<void> {
    const { clock } = this.#options
    const isCalm = clock.now() - this.#lastConflictAt >= CALM_MS
    this.#lastConflictAt = clock.now()
    this.#conflicts = isCalm ? 1 : this.#conflicts + 1
    if (this.#conflicts >= MAX_CONFLICTS) await clock.sleep(CONFLICT_WAIT_MS, this.#closing.signal)
  }
}
