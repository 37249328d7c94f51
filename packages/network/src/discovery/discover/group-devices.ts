import { type AnnouncedEntry, authorityOf, type Door } from './announced-entry.ts'
import type { ExaminedDoor, ProbeResult } from './examine-door.ts'
import { DOOR_STATES, type FoundDevice, type FoundDoor, type FoundService } from './found-device.ts'

/** A door with its announced entries and the result of its probe. */
export interface KnownDoor {
  readonly door: Door
  readonly entries: readonly AnnouncedEntry[]
  readonly examined: ExaminedDoor
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

function doorOf(door: Door, path: string, { state, reason, versions }: ProbeResult): FoundDoor {
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
