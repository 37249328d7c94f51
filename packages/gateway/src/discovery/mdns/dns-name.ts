/** Labels of a domain name, without the root: `['io-module on press-4', '_https', '_tcp', 'local']`. A label may hold dots and spaces. */
export type DnsName = readonly string[]

/** Longest label, and longest name with all its length bytes; RFC 1035 section 2.3.4. */
export const MAX_LABEL_BYTES = 63
export const MAX_NAME_BYTES = 255

/** All that mDNS names end in. */
export const LOCAL = 'local'

/** The same for names that are the same: ASCII letters count in either case (RFC 6762 section 16). */
export function nameKey(name: DnsName): string {
  return name.map((label) => label.replace(/[A-Z]/g, (letter) => letter.toLowerCase())).join('\0')
}

export function sameName(a: DnsName, b: DnsName): boolean {
  return nameKey(a) === nameKey(b)
}

/** As people write it: `press-4.local`. */
export function dottedName(name: DnsName): string {
  return name.join('.')
}
