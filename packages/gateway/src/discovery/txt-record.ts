import type { AnnouncedService, Announcement } from './announcement.ts'

/** Longest `key=value`; RFC 6763 section 6.1. */
const MAX_BYTES = 255
/** What neither an avahi file nor a terminal takes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]+/g

/** The TXT record of a service, `key=value` each; spec "Discovery (multicast DNS)". */
export function txtStrings(announcement: Announcement, service: AnnouncedService): readonly string[] {
  const entries: readonly (readonly [string, string])[] = [
    ['service', service.name],
    ['path', service.path],
    ['machine-id', announcement.machineIdPath],
    ['tls-ca', announcement.tlsCaPath],
    ['vendor', announcement.vendor],
  ]
  return entries.map(([key, value]) => cut(`${key}=${value.replace(CONTROL, ' ')}`))
}

/** As much as fits, whole characters. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= MAX_BYTES) return text
  return new TextDecoder().decode(bytes.subarray(0, MAX_BYTES)).replace(/\ufffd+$/, '')
}
