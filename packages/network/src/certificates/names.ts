import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { canonicalAddress } from '@slotwire/edge'
import { OperatorError } from '../operator-error.ts'

/** Names for a server certificate. */
export interface CertificateNames {
  /** Lower case. */
  readonly hosts: readonly string[]
  /** IP addresses. */
  readonly addresses: readonly string[]
}

/** Host names and addresses in one certificate: a handshake with more takes a second packet and then a third. */
export const MAX_NAMES = 100
const MAX_HOST_CHARACTERS = 253
/** RFC 1123, and the underscore in host names of some systems. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i
/** Texts that a browser reads as an IPv4 address: `300`, `1.2.3`, `0x7f`. */
const ENDS_IN_NUMBER = /(^|\.)(\d+|0x[\da-f]*)$/i

/** Whether a text is a host name for a certificate. */
export function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_CHARACTERS && !ENDS_IN_NUMBER.test(text) && text.split('.').every((label) => LABEL.test(label))
}

/** A name as in certificates: a host in lower case, or an address in its shortest form. Throws `OperatorError`. */
export function certificateName(text: string): string {
  const address = canonicalAddress(text)
  if (address !== undefined) return address
  if (isHostName(text)) return text.toLowerCase()
  throw new OperatorError(
    `${JSON.stringify(text)} is not a valid name for a certificate: give a host name such as line-3.example.com, or an IP address`,
  )
}

/** Separates hosts and addresses, each listed once. */
export function byKind(names: Iterable<string>): CertificateNames {
  const all = [...new Set(names)]
  return { hosts: all.filter((name) => isIP(name) === 0), addresses: all.filter((name) => isIP(name) !== 0) }
}

/** Names as in certificates, each once, in the given order. Throws `OperatorError` for no names, too many or invalid ones. */
export function checkedNames(names: CertificateNames): CertificateNames {
  const result = byKind([...names.hosts, ...names.addresses].map(certificateName))
  const count = result.hosts.length + result.addresses.length
  if (count === 0) throw new OperatorError('a certificate needs at least one name: give a host name or an IP address')
  if (count > MAX_NAMES) throw new OperatorError(`${count} names are too many for one certificate: at most ${MAX_NAMES}`)
  return result
}

/** Compares two sets of names; the order does not matter. */
export function sameNames(one: CertificateNames, other: CertificateNames): boolean {
  const key = ({ hosts, addresses }: CertificateNames): string => JSON.stringify([[...hosts].sort(), [...addresses].sort()])
  return key(one) === key(other)
}

/** Names in the certificate (subjectAltName). */
export function namesOf(certificate: X509Certificate): CertificateNames {
  const entries = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g)]
  const all = (kind: string): string[] => entries.filter(([, label]) => label === kind).map(([, , text = '']) => unquoted(text))
  return {
    hosts: all('DNS').map((host) => host.toLowerCase()),
    addresses: all('IP Address').map((address) => canonicalAddress(address) ?? address),
  }
}

/** Node.js writes names with unusual characters as JSON strings. */
function unquoted(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text
}

/** Names that the certificate is not valid for, by a client's rules. */
export function namesNotCovered(certificate: X509Certificate, names: CertificateNames): readonly string[] {
  const hosts = names.hosts.filter((host) => certificate.checkHost(host, { subject: 'never' }) === undefined)
  const addresses = names.addresses.filter((address) => certificate.checkIP(address) === undefined)
  return [...hosts, ...addresses]
}
