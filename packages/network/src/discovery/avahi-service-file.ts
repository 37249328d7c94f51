import type { AnnouncedService, Announcement } from './announcement.ts'
import { instanceLabel, txtStrings } from './service-entry.ts'

/** avahi replaces this with its current host name. */
const HOST_NAME = '%h'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/**
 * Text of the avahi file for one service, see avahi.service(5). All entries of a file share one name, so each service has its own file.
 * `hostName` is the name that avahi announces.
 */
export function avahiServiceFile(announcement: Announcement, service: AnnouncedService, hostName: string): string {
  const follows = instanceLabel(service.name, hostName).endsWith(` on ${hostName}`)
  const name = instanceLabel(service.name, follows ? HOST_NAME : hostName)
  const records = txtStrings(announcement, service).map((text) => `    <txt-record>${escaped(text)}</txt-record>`)
  const entries = announcement.doors.flatMap(({ scheme, port }) => [
    `  <service protocol="${protocolOf(announcement.addresses)}">`,
    `    <type>_${scheme}._tcp</type>`,
    `    <port>${port}</port>`,
    ...records,
    '  </service>',
  ])
  return [
    '<?xml version="1.0" standalone="no"?>',
    '<!DOCTYPE service-group SYSTEM "avahi-service.dtd">',
    '<!-- Written by slotwire, and removed when it ends. -->',
    '<service-group>',
    `  <name replace-wildcards="${follows ? 'yes' : 'no'}">${escaped(name)}</name>`,
    ...entries,
    '</service-group>',
    '',
  ].join('\n')
}

/** Excludes an address family in which no door can be reached. */
function protocolOf(addresses: readonly string[]): 'any' | 'ipv4' | 'ipv6' {
  const [ipv4, ipv6] = [addresses.some((address) => !address.includes(':')), addresses.some((address) => address.includes(':'))]
  if (ipv4 === ipv6) return 'any'
  return ipv4 ? 'ipv4' : 'ipv6'
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
