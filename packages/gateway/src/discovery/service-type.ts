import { type DnsName, LOCAL } from './mdns/dns-name.ts'

/** `_https._tcp.local`; spec "Discovery (multicast DNS)". */
export function serviceType(scheme: 'http' | 'https'): DnsName {
  return [`_${scheme}`, '_tcp', LOCAL]
}
