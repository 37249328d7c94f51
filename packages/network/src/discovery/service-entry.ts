import type { AnnouncedService, Announcement } from './announcement.ts'
import { MAX_LABEL_BYTES } from './host-label.ts'

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
