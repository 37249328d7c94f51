import type { AnnouncedService, Announcement } from './announcement.ts'
import { instanceLabel, txtStrings } from './service-entry.ts'

/** avahi puts its host name here, also when that changes. */
const HOST_NAME = '%h'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/**
 * The text of a file that tells avahi of one service, as avahi.service(5) has it: all entries of a file have the same name, so each service
 * has its own. `hostName` is the one that avahi announces.
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

/** Where no door can be reached by a family, avahi does not announce by it. */
function protocolOf(addresses: readonly string[]): 'any' | 'ipv4' | 'ipv6' {
  const [ipv4, ipv6] = [addresses.some((address) => !address.includes(':')), addresses.some((address) => address.includes(':'))]
  if (ipv4 === ipv6) return 'any'
  return ipv4 ? 'ipv4' : 'ipv6'
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
