import type { NetworkInterfaces } from '../network-interfaces.ts'
import type { Announcement } from './announcement.ts'
import type { ResourceRecord } from './mdns/dns-message.ts'
import { Zone } from './mdns/zone.ts'
import { instanceLabel, serviceType, txtStrings } from './service-entry.ts'

/** How long others may remember, in seconds: what depends on the host's name, and the rest; RFC 6762 section 10. */
const OF_HOST = { ttl: 120, flush: true } as const
const OF_SERVICE = { ttl: 4500, flush: true } as const
const SHARED = { ttl: 4500, flush: false } as const

const TYPE_ENUMERATION = '_services._dns-sd._udp.local'

/** The interfaces that have some of these addresses, with those alone; never loopback. */
export function interfacesWith(addresses: readonly string[], interfaces: NetworkInterfaces): NetworkInterfaces {
  const own = Object.entries(interfaces).map(([name, infos = []]) => {
    return [name, infos.filter(({ internal, address }) => !internal && addresses.includes(address))] as const
  })
  return Object.fromEntries(own.filter(([, infos]) => infos.length > 0))
}

/** All that mDNS says of a device under this host name, on each of these interfaces with the addresses it has there. */
export function zoneOf(announcement: Announcement, hostName: string, interfaces: NetworkInterfaces): Zone {
  const services = serviceRecords(announcement, hostName)
  const host = { name: `${hostName}.local`, ...OF_HOST }
  const told = Object.entries(interfaces).map(([name, infos = []]) => {
    const addresses = infos.map(({ address, family }): ResourceRecord => {
      return { ...host, type: family === 'IPv4' ? 'A' : 'AAAA', data: address }
    })
    return [name, [...addresses, ...services]] as const
  })
  return new Zone(new Map(told))
}

function serviceRecords(announcement: Announcement, hostName: string): readonly ResourceRecord[] {
  const types = [...new Set(announcement.doors.map(({ scheme }) => serviceType(scheme)))]
  const entries = announcement.doors.flatMap(({ scheme, port }) =>
    announcement.services.flatMap((service): ResourceRecord[] => {
      const type = serviceType(scheme)
      const name = `${instanceLabel(service.name, hostName)}.${type}`
      const txt = txtStrings(announcement, service).map((text) => Buffer.from(text))
      return [
        { name: type, ...SHARED, type: 'PTR', data: name },
        { name, ...OF_HOST, type: 'SRV', data: { port, target: `${hostName}.local` } },
        { name, ...OF_SERVICE, type: 'TXT', data: txt },
      ]
    }),
  )
  return [...entries, ...types.map((type): ResourceRecord => ({ name: TYPE_ENUMERATION, ...SHARED, type: 'PTR', data: type }))]
}
