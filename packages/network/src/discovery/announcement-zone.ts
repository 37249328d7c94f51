import type { NetworkInterfaces } from '../network-doors.ts'
import type { AnnouncedService, Announcement } from './announcement.ts'
import type { ResourceRecord } from './mdns/dns-message.ts'
import { Zone } from './mdns/zone.ts'

/** Longest `key=value` string; RFC 6763 section 6.1. */
const MAX_STRING_BYTES = 255
/** Characters that neither an avahi file nor a terminal accepts. */
const CONTROL = /[\p{Cc}\ufffe\uffff]+/gu

/** `_https._tcp.local`; spec "Discovery (multicast DNS)". */
export function serviceType(scheme: 'http' | 'https'): string {
  return `_${scheme}._tcp.local`
}

/** Label that people see in a browser: `io-module on press-4`. A name that is too long is cut at the start, to keep its numeric suffix. */
export function instanceLabel(service: string, hostName: string): string {
  const before = `${service} on `
  return before + hostName.slice(-(MAX_LABEL_BYTES - before.length))
}

/** TXT record of a service: `key=value` strings, cut at whole characters; spec "Discovery (multicast DNS)". */
export function txtStrings(announcement: Announcement, service: AnnouncedService): readonly string[] {
  const entries = {
    service: service.name,
    path: service.path,
    'machine-id': announcement.machineIdPath,
    'tls-ca': announcement.tlsCaPath,
    vendor: announcement.vendor,
  }
  return Object.entries(entries).map(([key, value]) => {
    const text = `${key}=${value.replace(CONTROL, ' ')}`
    return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_STRING_BYTES)).read)
  })
}

/** How long caches keep a record, in seconds: records with the host name, and others; RFC 6762 section 10. */
const HOST_RECORD = { ttl: 120, flush: true } as const
const SERVICE_RECORD = { ttl: 4500, flush: true } as const
const SHARED_RECORD = { ttl: 4500, flush: false } as const

const TYPE_ENUMERATION = '_services._dns-sd._udp.local'

/** The interfaces that have any of these addresses, reduced to these addresses; never loopback. */
export function interfacesWith(addresses: readonly string[], interfaces: NetworkInterfaces): NetworkInterfaces {
  const own = Object.entries(interfaces).map(([name, infos = []]) => {
    return [name, infos.filter(({ internal, address }) => !internal && addresses.includes(address))] as const
  })
  return Object.fromEntries(own.filter(([, infos]) => infos.length > 0))
}

/** All mDNS records of a device under this host name: on each interface with its addresses there. */
export function zoneOf(announcement: Announcement, hostName: string, interfaces: NetworkInterfaces): Zone {
  const services = serviceRecords(announcement, hostName)
  const host = { name: `${hostName}.local`, ...HOST_RECORD }
  const records = Object.entries(interfaces).map(([name, infos = []]) => {
    const addresses = infos.map(({ address, family }): ResourceRecord => {
      return { ...host, type: family === 'IPv4' ? 'A' : 'AAAA', data: address }
    })
    return [name, [...addresses, ...services]] as const
  })
  return new Zone(new Map(records))
}

function serviceRecords(announcement: Announcement, hostName: string): readonly ResourceRecord[] {
  const types = [...new Set(announcement.doors.map(({ scheme }) => serviceType(scheme)))]
  const entries = announcement.doors.flatMap(({ scheme, port }) =>
    announcement.services.flatMap((service): ResourceRecord[] => {
      const type = serviceType(scheme)
      const name = `${instanceLabel(service.name, hostName)}.${type}`
      const txt = txtStrings(announcement, service).map((text) => Buffer.from(text))
      return [
        { name: type, ...SHARED_RECORD, type: 'PTR', data: name },
        { name, ...HOST_RECORD, type: 'SRV', data: { port, target: `${hostName}.local` } },
        { name, ...SERVICE_RECORD, type: 'TXT', data: txt },
      ]
    }),
  )
  return [
    ...entries,
    ...types.map((type): ResourceRecord => ({ name: TYPE_ENUMERATION, ...SHARED_RECORD, type: 'PTR', data: type })),
  ]
}

/** Longest label of a name; RFC 1035 section 2.3.4. */
export const MAX_LABEL_BYTES = 63

/** For a system whose name has no usable character. */
const FALLBACK = 'slotwire'
/** Largest suffix of a name: more hosts with one name mean an attack. */
const MAX_SUFFIX = 9999

/** First label of a preferred host name, reduced to characters that DNS allows; case is kept. */
export function hostLabel(preferred: string): string {
  const [first = ''] = preferred.split('.')
  return trimmed(first.replace(/[^A-Za-z0-9-]+/g, '-')) || FALLBACK
}

/**
 * The name to try after `taken`, which is `preferred` or a name derived from it: `press-4`, `press-4-2`, `press-4-3` (spec "Discovery"). Starts
 * over after the largest suffix.
 */
export function nextHostLabel(preferred: string, taken: string): string {
  // The preferred name counts as number 1.
  const number = (taken === preferred ? 1 : Number(/-(\d{1,4})$/.exec(taken)?.[1] ?? 1)) + 1
  if (number > MAX_SUFFIX) return preferred
  const suffix = `-${number}`
  return `${trimmed(preferred.slice(0, MAX_LABEL_BYTES - suffix.length))}${suffix}`
}

/** At most `MAX_LABEL_BYTES`, without hyphens at both ends. */
function trimmed(label: string): string {
  return label.slice(0, MAX_LABEL_BYTES).replace(/^-+|-+$/g, '')
}
