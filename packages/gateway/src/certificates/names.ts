import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { canonicalAddress } from '@slotwire/edge'
import { CertificateError } from './certificate-error.ts'
import type { CertificateNames } from './material.ts'

/** Host names and addresses in one certificate: a handshake with more takes a second packet and then a third. */
export const MOST_NAMES = 100
const LONGEST_HOST = 253
/** RFC 1123, and the underscore that host names of some systems have. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
/** What a URL would decode, or take for its end. */
const NEVER_IN_HOSTS = /[^\w.\x80-\u{10ffff}-]/u
const WILDCARD = '*.'
/** Below a wildcard: `*.com` and `*.local` would be everybody. */
const LABELS_BELOW_WILDCARD = 2

/** A name as it stands in a certificate. */
export interface CertificateName {
  readonly kind: 'host' | 'address'
  readonly name: string
}

/**
 * Host names in lower case and punycode, without a dot at the end; addresses in the shortest form, without zone. Throws `CertificateError`
 * for what is neither.
 */
export function certificateName(text: string): CertificateName {
  const trimmed = text.trim()
  const address = canonicalAddress(trimmed.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, ''))
  if (address !== undefined) return { kind: 'address', name: address }
  const wildcard = trimmed.startsWith(WILDCARD) ? WILDCARD : ''
  const host = asciiHost(trimmed.slice(wildcard.length))
  if (host === undefined || (wildcard !== '' && host.split('.').length < LABELS_BELOW_WILDCARD)) {
    throw new CertificateError(
      `${JSON.stringify(text)} is no name for a certificate: give a host name such as line-3.example.com, *.example.com, or an IP address`,
    )
  }
  return { kind: 'host', name: wildcard + host }
}

/** Undefined: not a host name. */
function asciiHost(text: string): string | undefined {
  if (NEVER_IN_HOSTS.test(text)) return undefined
  const host = domainToASCII(text).replace(/\.$/, '')
  const labels = host.split('.')
  // Numbers that a browser takes for an IPv4 address (`300`, `1.2.3`) are no host names.
  if (host.length > LONGEST_HOST || isIP(host) !== 0 || !labels.every((label) => LABEL.test(label))) return undefined
  return host
}

/** As they stand in a certificate, each once, in the order given. Throws `CertificateError` for none, too many, and what is no name. */
export function checkedNames(names: CertificateNames): CertificateNames {
  const checked = [...names.hosts, ...names.addresses].map(certificateName)
  const all = (kind: CertificateName['kind']): string[] => [
    ...new Set(checked.filter((name) => name.kind === kind).map(({ name }) => name)),
  ]
  const result = { hosts: all('host'), addresses: all('address') }
  const count = result.hosts.length + result.addresses.length
  if (count === 0) throw new CertificateError('a certificate is for one name at least: give a host name or an IP address')
  if (count > MOST_NAMES) throw new CertificateError(`${count} names are too many for one certificate: at most ${MOST_NAMES}`)
  return result
}

/** Whether both hold the same, in whatever order. */
export function sameNames(one: CertificateNames, other: CertificateNames): boolean {
  const key = ({ hosts, addresses }: CertificateNames): string => JSON.stringify([[...hosts].sort(), [...addresses].sort()])
  return key(one) === key(other)
}

/** What a certificate says it is for (subjectAltName). */
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

/** Those of `names` that the certificate is not valid for, as a client would judge. */
export function namesNotCovered(certificate: X509Certificate, names: CertificateNames): readonly string[] {
  const hosts = names.hosts.filter((host) => certificate.checkHost(host, { subject: 'never' }) === undefined)
  const addresses = names.addresses.filter((address) => certificate.checkIP(address) === undefined)
  return [...hosts, ...addresses]
}
