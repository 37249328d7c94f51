import { type Clock, type Random, silentLog } from '@slotwire/core'
import type { HostNetwork } from '../../network-doors.ts'
import { serviceType } from '../announcement-zone.ts'
import { browse } from '../mdns/browse.ts'
import { openMulticastLink } from '../mdns/open-link.ts'
import { type AnnouncedDoor, type AnnouncedEntry, announcedEntry, authorityOf } from './announced-entry.ts'
import { examineDoor, type ProbeOptions, type ProbeResult } from './examine-door.ts'
import { DOOR_STATES, type FoundDevice, type FoundDoor, type FoundService } from './found-device.ts'

export type { FoundDevice, FoundDoor, FoundService }

/** Most entries that are processed in a crowded network. */
const MAX_ENTRIES = 1024
const MAX_INTERFACES = 32
/** Doors that are probed at once, and the time limit for all probes. */
const PROBES_AT_ONCE = 16
const ALL_PROBES_MS = 15_000

/** Options of `discover`. */
export interface DiscoverOptions {
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  /** Time to listen. */
  readonly timeoutMs: number
  /** Sent to doors with a trusted certificate only, unless `insecure` is set. */
  readonly token?: string | undefined
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  readonly authorities?: string | undefined
  /** Sends the token to every announced device, even unencrypted. */
  readonly insecure?: boolean
  /** Ends the search; it rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Searches the networks of this host for devices and checks whether their services can be used; spec "Discovery (multicast DNS)". Throws
 * `MulticastUnavailable`.
 */
export async function discover(options: DiscoverOptions): Promise<readonly FoundDevice[]> {
  const { network, clock, random, timeoutMs: durationMs, signal } = options
  signal?.throwIfAborted()
  const interfaces = network.interfaces()
  const outward = Object.keys(interfaces).filter((name) => interfaces[name]?.some(({ internal }) => !internal))
  const link = await openMulticastLink(interfaces, outward.slice(0, MAX_INTERFACES), silentLog)
  try {
    const types = [serviceType('https'), serviceType('http')]
    const services = await browse({ types, durationMs, maxEntries: MAX_ENTRIES, link, clock, random, signal })
    const entries = services.flatMap((entry) => announcedEntry(entry) ?? [])
    const known = await probeAll(entries, options)
    signal?.throwIfAborted()
    return groupDevices(known)
  } finally {
    await link.close()
  }
}

async function probeAll(entries: readonly AnnouncedEntry[], options: DiscoverOptions): Promise<readonly KnownDoor[]> {
  const { token, authorities, insecure = false, clock, signal } = options
  const late = new AbortController()
  const timer = clock.after(ALL_PROBES_MS, () => late.abort(new Error('there was no time left')))
  const end = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal])
  const probe: ProbeOptions = { token, authorities, insecure, clock, signal: end }
  const waiting = byDoor(entries)
  const known: KnownDoor[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { door, entries: own } = next
      known.push({ door, entries: own, examined: await examineDoor(door, own, probe) })
    }
  }
  try {
    await Promise.all(Array.from({ length: PROBES_AT_ONCE }, work))
  } finally {
    timer.cancel()
  }
  return known
}

/** Groups announced services by door. */
function byDoor(entries: readonly AnnouncedEntry[]): Pick<KnownDoor, 'door' | 'entries'>[] {
  const doors = new Map<string, { readonly door: AnnouncedDoor; readonly entries: AnnouncedEntry[] }>()
  for (const entry of entries) {
    const { scheme, host, port, interfaceName } = entry.door
    const key = `${scheme} ${host.toLowerCase()} ${port} ${interfaceName}`
    const known = doors.get(key) ?? { door: entry.door, entries: [] }
    known.entries.push(entry)
    doors.set(key, known)
  }
  return [...doors.values()]
}

/** A door with its announced entries and the result of its probe. */
export interface KnownDoor {
  readonly door: AnnouncedDoor
  readonly entries: readonly AnnouncedEntry[]
  readonly examined: Awaited<ReturnType<typeof examineDoor>>
}

/** Groups doors into devices: by machine id; a door without one belongs to the other doors of its host. */
export function groupDevices(doors: readonly KnownDoor[]): readonly FoundDevice[] {
  const groups = new Map<string, KnownDoor[]>()
  for (const known of doors) {
    const key = deviceKey(known, doors)
    groups.set(key, [...(groups.get(key) ?? []), known])
  }
  return [...groups.values()].map(deviceOf).sort((a, b) => order(a.hostNames[0] ?? '', b.hostNames[0] ?? ''))
}

function deviceKey({ door, examined }: KnownDoor, doors: readonly KnownDoor[]): string {
  const near = doors.filter((other) => other.door.host === door.host && other.door.interfaceName === door.interfaceName)
  const ids = new Set(near.flatMap((other) => other.examined.machineId ?? []))
  const machineId = examined.machineId ?? (ids.size === 1 ? [...ids][0] : undefined)
  return machineId === undefined ? `host ${door.host}` : `id ${machineId}`
}

function deviceOf(doors: readonly KnownDoor[]): FoundDevice {
  const entries = doors.flatMap((known) => known.entries)
  return {
    machineId: doors.flatMap(({ examined }) => examined.machineId ?? [])[0],
    hostNames: [...new Set(doors.map(({ door }) => door.host))].sort(),
    vendor: entries.flatMap(({ vendor }) => vendor ?? [])[0],
    addresses: [...new Set(doors.flatMap(({ door }) => door.addresses))],
    caFingerprint: doors.flatMap(({ examined }) => examined.caFingerprint ?? [])[0],
    services: servicesOf(doors),
  }
}

function servicesOf(doors: readonly KnownDoor[]): readonly FoundService[] {
  const services = new Map<string, FoundService>()
  for (const { door, entries, examined } of doors) {
    for (const [index, { service, path = '' }] of entries.entries()) {
      const result = examined.results[index]
      if (result === undefined) continue
      const key = `${service} ${path}`
      const before = services.get(key)?.doors ?? []
      services.set(key, { name: service, path, doors: withDoor(before, doorOf(door, path, result)) })
    }
  }
  return [...services.values()].sort((a, b) => order(a.name, b.name))
}

function doorOf(door: AnnouncedDoor, path: string, { state, reason, versions }: ProbeResult): FoundDoor {
  return { url: `${door.scheme}://${authorityOf(door)}${path}`, state, reason, versions }
}

/** Merges results for a door seen in two networks: the better one counts. */
function withDoor(doors: readonly FoundDoor[], door: FoundDoor): readonly FoundDoor[] {
  const same = doors.find(({ url }) => url === door.url)
  if (same === undefined) return [...doors, door].sort((a, b) => order(b.url, a.url))
  const isBetter = DOOR_STATES.indexOf(door.state) < DOOR_STATES.indexOf(same.state)
  return isBetter ? doors.map((other) => (other === same ? door : other)) : doors
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
