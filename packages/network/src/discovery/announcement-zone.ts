import type { NetworkInterfaces } from '../network-interfaces.ts'
import type { Announcement } from './announcement.ts'
import type { ResourceRecord } from './mdns/dns-message.ts'
import { Zone } from './mdns/zone.ts'
import { instanceLabel, serviceType, txtStrings } from './service-entry.ts'

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
