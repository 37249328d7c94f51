import { isDeepStrictEqual } from 'node:util'
import { type Clock, Listeners, type Log, type Random, Turns } from '@slotwire/core'
import type { HostNetwork, NetworkInterfaces } from '../network-interfaces.ts'
import type { Announcement, Announcer } from './announcement.ts'
import { interfacesWith, zoneOf } from './announcement-zone.ts'
import type { DiscoveryMemory } from './discovery-memory.ts'
import { hostLabel, nextHostLabel } from './host-label.ts'
import type { MulticastLink } from './mdns/multicast-link.ts'
import { openMulticastLink } from './mdns/open-link.ts'
import { Responder } from './mdns/responder.ts'

export interface OwnAnnouncerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly network: HostNetwork
  readonly memory: DiscoveryMemory
  /** Joins the networks behind the interfaces with these names. */
  readonly openLink?: (interfaces: NetworkInterfaces, names: readonly string[], log: Log) => Promise<MulticastLink>
}

/** What is told, where. */
interface Told {
  readonly announcement: Announcement
  readonly names: readonly string[]
  readonly interfaces: NetworkInterfaces
  readonly responder: Responder
}

/** Announces the device by a responder in this process. */
export class OwnAnnouncer implements Announcer {
  readonly #options: OwnAnnouncerOptions
  readonly #turns = new Turns()
  readonly #renamed = new Listeners<string>()
  readonly #pace: ConflictPace
  readonly #closing = new AbortController()
  #told: Told | undefined
  #wish: string
  #hostName: string

  constructor(options: OwnAnnouncerOptions) {
    this.#options = options
    this.#pace = new ConflictPace(options.clock)
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
    const interfaces = network.interfaces()
    const names = interfacesWith(announcement.addresses, interfaces)
    const before = this.#told
    const isSame = (name: string): boolean => isDeepStrictEqual(interfaces[name], before?.interfaces[name])
    if (before !== undefined && isDeepStrictEqual(names, before.names) && names.every(isSame)) return { ...before, announcement }
    this.#told = undefined
    await before?.responder.close()
    const link = await openLink(interfaces, names, log)
    const responder = new Responder({ link, clock, random, log })
    responder.onConflict(() => void this.#reclaim(responder))
    return { announcement, names, interfaces, responder }
  }

  /** Tells of the device under this name, or under the next one that is free. Ends early when the announcer is closed. */
  async #tell({ announcement, names, interfaces, responder }: Told, first: string): Promise<void> {
    const { signal } = this.#closing
    try {
      for (let hostName = first; ; hostName = nextHostLabel(this.#wish, hostName)) {
        const zone = zoneOf(announcement, hostName, names, interfaces)
        if (!responder.owns(zone) && !(await responder.claim(zone, signal))) {
          await this.#pace.conflict(signal)
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
        await this.#pace.conflict(this.#closing.signal)
        await this.#tell(told, this.#hostName)
      })
    } catch (error) {
      if (!this.#closing.signal.aborted) log.error({ err: error }, 'the device is not announced any more')
    }
  }
}

/** RFC 6762 section 8.1: after 15 conflicts within 10 s each further attempt waits 5 s. */
const MAX_CONFLICTS = 15
const WITHIN_MS = 10_000
const WAIT_MS = 5000
/** So long without a conflict, and all is forgotten. */
const CALM_MS = 30_000

/** Keeps a host that is never left a name from flooding the network with attempts. */
class ConflictPace {
  readonly #clock: Clock
  #conflicts: readonly number[] = []
  #slow = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be called at each conflict; resolves when the next attempt may be made. */
  async conflict(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const last = this.#conflicts.at(-1) ?? Number.NEGATIVE_INFINITY
    this.#conflicts = [...this.#conflicts.filter((at) => now - at < WITHIN_MS), now].slice(-MAX_CONFLICTS)
    this.#slow = this.#conflicts.length === MAX_CONFLICTS || (this.#slow && now - last < CALM_MS)
    if (this.#slow) await this.#clock.sleep(WAIT_MS, signal)
  }
}
