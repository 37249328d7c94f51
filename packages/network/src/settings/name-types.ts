import { isIP } from 'node:net'
import { quoted } from '@slotwire/core'
import { canonicalAddress, plainAddress } from '@slotwire/edge'
import { isLocal, isUnspecified } from './addresses.ts'
import type { Reading, ValueType } from './value-type.ts'

const LONGEST_LABEL = 63
const LONGEST_NAME = 253
/** RFC 1123, section 2.1: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i

const isLabel = (text: string) => text.length <= LONGEST_LABEL && LABEL.test(text)

/** A host name of one label; RFC 1123. */
export const hostLabel: ValueType<string> = {
  wording: `a host name without domain, at most ${LONGEST_LABEL} characters`,
  read: (text) => {
    if (isLabel(text)) return { value: text }
    if (text.length > LONGEST_LABEL) return { problem: `is too long, ${text.length} characters: at most ${LONGEST_LABEL}` }
    const remedy = text.includes('.')
      ? 'write the name without its domain'
      : 'use letters, digits and hyphens, no hyphen at either end'
    return { problem: `${quoted(text)} is not a host name: ${remedy}` }
  },
}

function isDomainName(text: string): boolean {
  const labels = text.split('.')
  // A name whose last label is a number looks like an address.
  return text.length <= LONGEST_NAME && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/** An IP address of one host; refuses IPv4-mapped ones such as `::ffff:10.1.2.3`. */
function readAddress(text: string): Reading<string> {
  const value = canonicalAddress(text)
  if (value === undefined) {
    if (text.includes('/')) return { problem: `${quoted(text)} is a network: write single addresses` }
    if (text.includes('%')) return { problem: `${quoted(text)} names an interface: write the address without %…` }
    return { problem: `${quoted(text)} is not an IP address: write one like 10.1.2.3 or 2001:db8::7` }
  }
  const plain = plainAddress(value) ?? value
  return plain === value ? { value } : { problem: `${quoted(text)} is an IPv4 address in IPv6 form: write ${plain}` }
}

function refuseUnspecified(text: string, reading: Reading<string>): Reading<string> {
  const isWildcard = 'value' in reading && isUnspecified(reading.value)
  return isWildcard ? { problem: `${quoted(text)} means all addresses: write the address of one host` } : reading
}

/** An IP address to listen on. */
export const listenAddress: ValueType<string> = {
  wording: 'an IP address of this device; 0.0.0.0 and :: mean all IPv4 or all addresses',
  read: readAddress,
}

/** An IP address of a host. */
export const hostAddress: ValueType<string> = {
  wording: 'an IP address',
  read: (text) => refuseUnspecified(text, readAddress(text)),
}

/** A name for a server certificate: a host name, in lower case, or an IP address. */
export const certificateName: ValueType<string> = {
  wording: 'a host name or an IP address',
  read: (text) => {
    if (isIP(text) !== 0 || /^[\d.]+$|[:/%]/.test(text)) return refuseUnspecified(text, readAddress(text))
    if (isDomainName(text)) return { value: text.toLowerCase() }
    if (text.startsWith('*.')) return { problem: `${quoted(text)} is a wildcard: write every name out` }
    const remedy = /[^\0-\x7f]/.test(text)
      ? 'write it as in the domain name system, with xn--'
      : 'write one like press-4.example.com'
    return { problem: `${quoted(text)} is not a host name: ${remedy}` }
  },
}

/** Domains that are resolved locally (RFC 6762, 8375, and `internal`, which ICANN reserves for this). */
const LOCAL_DOMAIN = /(^|\.)(localhost|local|internal|home\.arpa)$/

/** Origin of web pages in the form that browsers send: lower case, without the default port. */
export const webOrigin: ValueType<string> = {
  wording: 'http:// or https:// with the host of a web page and its port',
  read: (text) => {
    if (text.includes('*')) return { problem: `${quoted(text)} is a wildcard: write each origin out` }
    if (!WEB_ORIGIN.test(text) || !URL.canParse(text))
      return {
        problem: `${quoted(text)} is not the origin of a page: write one like https://app.example.com or http://localhost:5173`,
      }
    return { value: new URL(text).origin }
  },
}

const WEB_ORIGIN = /^https?:\/\/[^\s/?#@\\]+\/?$/i
const ORIGIN = /^https?:\/\/(\[[\da-f:.]+\]|[a-z\d.-]+)(?::\d{1,5})?\/?$/i
const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/** In the local network, judged by the name. */
const isNear = (host: string) => (isIP(host) === 0 ? !host.includes('.') || LOCAL_DOMAIN.test(host) : isLocal(host))

/** Address of another process: scheme, host and port, on this machine or in its network. */
export const localOrigin: ValueType<string> = {
  wording: 'http:// or https:// with a host of this machine or its network, and a port',
  read: (text) => {
    const example = 'write one like http://127.0.0.1:8002'
    const written = ORIGIN.exec(text)?.[1]
    if (written === undefined || !URL.canParse(text))
      return { problem: `${quoted(text)} is not an http(s) address without a path: ${example}` }
    const { origin, hostname, port } = new URL(text)
    const host = withoutBrackets(hostname)
    if (port === '0') return { problem: `${quoted(text)} has port 0: write the port of the service` }
    // Some clients read 127.1 and 0x7f000001 as addresses, others as names.
    if (isIP(withoutBrackets(written)) !== isIP(host))
      return { problem: `${quoted(text)} has an unusual address: write ${origin}` }
    if (isIP(host) === 0 && !isDomainName(host)) return { problem: `${quoted(text)} has no host: ${example}` }
    return isNear(host)
      ? { value: origin }
      : { problem: `${quoted(text)} is not in the local network: use a loopback or private address` }
  },
}
