import { silentLog } from '@slotwire/core'
import type { NetworkInterfaces } from '../../network-interfaces.ts'
import { browse } from '../mdns/browse.ts'
import { openMulticastLink } from '../mdns/open-link.ts'
import { serviceType } from '../service-type.ts'
import { type AnnouncedEntry, announcedEntry, type Door } from './announced-entry.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { examineDoor, type Knocking } from './examine-door.ts'
import type { FoundDevice } from './found-device.ts'
import { groupDevices, type KnownDoor } from './group-devices.ts'

const DEFAULT_TIMEOUT_MS = 3000
/** Of a network full of announcements no more are looked at. */
const MAX_ENTRIES = 1024
const MAX_INTERFACES = 32
/** Doors that are knocked at at the same time, and how long all of that may take. */
const KNOCKS_AT_ONCE = 16
const KNOCKING_MS = 15_000

/** As `discover` says. */
export async function findDevices(options: DiscoverOptions): Promise<readonly FoundDevice[]> {
  const { network, clock, random, log = silentLog, timeoutMs: durationMs = DEFAULT_TIMEOUT_MS } = options
  const interfaces = network.interfaces()
  const link = await openMulticastLink(interfaces, outward(interfaces), log)
  try {
    const types = [serviceType('https'), serviceType('http')]
    const found = await browse({ types, durationMs, maxEntries: MAX_ENTRIES, link, clock, random })
    return groupDevices(
      await knockAtAll(
        found.flatMap((entry) => announcedEntry(entry) ?? []),
        options,
      ),
    )
  } finally {
    await link.close()
  }
}

function outward(interfaces: NetworkInterfaces): readonly string[] {
  const names = Object.keys(interfaces).filter((name) => interfaces[name]?.some(({ internal }) => !internal))
  return names.slice(0, MAX_INTERFACES)
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
function byDoor(entries: readonly AnnouncedEntry[]): { readonly door: Door; readonly entries: readonly AnnouncedEntry[] }[] {
  const doors = new Map<string, { readonly door: Door; readonly entries: AnnouncedEntry[] }>()
  for (const entry of entries) {
    const { scheme, host, port, interfaceName } = entry.door
    const key = `${scheme} ${host.toLowerCase()} ${port} ${interfaceName}`
    const same = doors.get(key)
    if (same === undefined) doors.set(key, { door: entry.door, entries: [entry] })
    else same.entries.push(entry)
  }
  return [...doors.values()]
}
