import { type Clock, type Log, type Random, silentLog } from '@slotwire/core'
import type { HostNetwork } from '../../network-interfaces.ts'
import { browse } from '../mdns/browse.ts'
import { openMulticastLink } from '../mdns/open-link.ts'
import { serviceType } from '../service-entry.ts'
import { type AnnouncedEntry, announcedEntry, type Door } from './announced-entry.ts'
import type { Knocking } from './door-request.ts'
import { examineDoor } from './examine-door.ts'
import type { FoundDevice } from './found-device.ts'
import { groupDevices, type KnownDoor } from './group-devices.ts'

const DEFAULT_TIMEOUT_MS = 3000
/** Of a network full of announcements no more are looked at. */
const MAX_ENTRIES = 1024
const MAX_INTERFACES = 32
/** Doors that are knocked at at the same time, and how long all of that may take. */
const KNOCKS_AT_ONCE = 16
const KNOCKING_MS = 15_000

/** What looking for devices needs, and how it is done. */
export interface DiscoverOptions {
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  /** How long is listened; 3 s unless told otherwise. */
  readonly timeoutMs?: number
  /** Shown to doors whose certificate is trusted, and to no others unless `insecure`. */
  readonly token?: string
  /** PEM of certificate authorities to trust beside the usual ones. */
  readonly authorities?: string
  /** Shows the token to everybody who announces a device, also unencrypted. */
  readonly insecure?: boolean
}

/**
 * Looks for devices in the networks of this host, and whether their services can be used; spec "Discovery (multicast DNS)". Throws
 * `MulticastUnavailable`.
 */
export async function discover(options: DiscoverOptions): Promise<readonly FoundDevice[]> {
  const { network, clock, random, log = silentLog, timeoutMs: durationMs = DEFAULT_TIMEOUT_MS } = options
  const interfaces = network.interfaces()
  const outward = Object.keys(interfaces).filter((name) => interfaces[name]?.some(({ internal }) => !internal))
  const link = await openMulticastLink(interfaces, outward.slice(0, MAX_INTERFACES), log)
  try {
    const types = [serviceType('https'), serviceType('http')]
    const found = await browse({ types, durationMs, maxEntries: MAX_ENTRIES, link, clock, random })
    const entries = found.flatMap((entry) => announcedEntry(entry) ?? [])
    return groupDevices(await knockAtAll(entries, options))
  } finally {
    await link.close()
  }
}

async function knockAtAll(entries: readonly AnnouncedEntry[], options: DiscoverOptions): Promise<readonly KnownDoor[]> {
  const { token, authorities, insecure = false, clock } = options
  const late = new AbortController()
  const timer = clock.after(KNOCKING_MS, () => late.abort(new Error('there was no time left')))
  const knocking: Knocking = { token, authorities, insecure, clock, signal: late.signal }
  const waiting = byDoor(entries)
  const known: KnownDoor[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { door, entries: own } = next
      known.push({ door, entries: own, examined: await examineDoor(door, own, knocking) })
    }
  }
  try {
    await Promise.all(Array.from({ length: KNOCKS_AT_ONCE }, work))
  } finally {
    timer.cancel()
  }
  return known
}

/** Services that are announced at the same door. */
function byDoor(entries: readonly AnnouncedEntry[]): Pick<KnownDoor, 'door' | 'entries'>[] {
  const doors = new Map<string, { readonly door: Door; readonly entries: AnnouncedEntry[] }>()
  for (const entry of entries) {
    const { scheme, host, port, interfaceName } = entry.door
    const key = `${scheme} ${host.toLowerCase()} ${port} ${interfaceName}`
    const known = doors.get(key) ?? { door: entry.door, entries: [] }
    known.entries.push(entry)
    doors.set(key, known)
  }
  return [...doors.values()]
}
