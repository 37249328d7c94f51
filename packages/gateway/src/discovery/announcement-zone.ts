import type { NetworkInterfaces } from '../network-interfaces.ts'
import type { Announcement } from './announcement.ts'
import { instanceLabel } from './instance-label.ts'
import { type DnsName, LOCAL } from './mdns/dns-name.ts'
import { addressBytes, addressText } from './mdns/ip-address.ts'
import type { RecordData, ResourceRecord } from './mdns/resource-record.ts'
import { Zone } from './mdns/zone.ts'
import { serviceType } from './service-type.ts'
import { txtStrings } from './txt-record.ts'

/** How long others may remember, in seconds: what depends on the host's name, and the rest; RFC 6762 section 10. */
const HOST_TTL = 120
const SERVICE_TTL = 4500

const TYPE_ENUMERATION: DnsName = ['_services', '_dns-sd', '_udp', LOCAL]

/** Names of the interfaces that have some of these addresses; never loopback. */
export function interfacesWith(addresses: readonly string[], interfaces: NetworkInterfaces): readonly string[] {
  return Object.keys(interfaces).filter((name) => addressesOn(name, addresses, interfaces).length > 0)
}

function addressesOn(name: string, addresses: readonly string[], interfaces: NetworkInterfaces): readonly string[] {
  return (interfaces[name] ?? [])
    .filter(({ internal, address }) => !internal && addresses.includes(address))
    .map(({ address }) => address)
}

/** All that mDNS says of a device under this host name, on each of these interfaces with the addresses it has there. */
export function zoneOf(
  announcement: Announcement,
  hostName: string,
  names: readonly string[],
  interfaces: NetworkInterfaces,
): Zone {
  const services = serviceRecords(announcement, hostName)
  const host = [hostName, LOCAL]
  return new Zone(
    new Map(
      names.map((name) => {
        const own = addressesOn(name, announcement.addresses, interfaces).map((address) => addressRecord(host, address))
        return [name, [...own, ...services]]
      }),
    ),
  )
}

function addressRecord(host: DnsName, address: string): ResourceRecord {
  const bytes = addressBytes(address)
  // In the spelling in which it comes back from the network.
  const text = bytes === undefined ? undefined : addressText(bytes)
  return unique(host, HOST_TTL, { type: address.includes(':') ? 'AAAA' : 'A', address: text ?? address })
}

function serviceRecords(announcement: Announcement, hostName: string): readonly ResourceRecord[] {
  const schemes = [...new Set(announcement.doors.map(({ scheme }) => scheme))]
  const types = schemes.map((scheme) => shared(TYPE_ENUMERATION, { type: 'PTR', target: serviceType(scheme) }))
  const entries = announcement.doors.flatMap(({ scheme, port }) =>
    announcement.services.flatMap((service) => {
      const type = serviceType(scheme)
      const instance = [instanceLabel(service.name, hostName), ...type]
      const strings = txtStrings(announcement, service).map((text) => new TextEncoder().encode(text))
      return [
        shared(type, { type: 'PTR', target: instance }),
        unique(instance, HOST_TTL, { type: 'SRV', port, target: [hostName, LOCAL] }),
        unique(instance, SERVICE_TTL, { type: 'TXT', strings }),
      ]
    }),
  )
  return [...entries, ...types]
}

function unique(name: DnsName, ttl: number, data: RecordData): ResourceRecord {
  return { name, ttl, unique: true, data }
}

function shared(name: DnsName, data: RecordData): ResourceRecord {
  return { name, ttl: SERVICE_TTL, unique: false, data }
}
