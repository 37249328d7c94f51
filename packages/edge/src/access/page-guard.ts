import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'

/** Host and port as a Host header or an absolute target has them. */
interface Authority {
  /** Lower case, without the brackets of an IPv6 address and without a dot at the end. */
  readonly host: string
  /** Undefined: that of the scheme. */
  readonly port: number | undefined
}

/** Where a page comes from. */
interface Origin extends Authority {
  /** Lower case: `https`, or that of an application (`tauri`). */
  readonly scheme: string
}

/** What nearly every local client sends: spares the way through the parser. */
const USUAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(?:[1-5]\d{4}|\d{1,4}))?$/

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(\d{0,5}))?$/i
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i
const HIGHEST_PORT = 65_535

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * What a door without credentials must refuse, because a browser on this device may ask for it on behalf of a page from elsewhere: names
 * that others may point to this device (DNS rebinding), and pages of other sites. Pages of other ports of this device are let in.
 */
export function guardLoopback({ url = '', headers }: IncomingMessage): Answer | undefined {
  const { host, origin, referer, 'sec-fetch-site': site } = headers
  if (host !== undefined && !USUAL_HOST.test(host) && !isLoopbackAuthority(host)) return errorAnswer(coreErrors.hostNotLoopback())
  // The authority of an absolute target counts as the Host does (RFC 9112, 3.2.2).
  const target = url.startsWith('/') ? undefined : authorityOf(url)
  if (target !== undefined && !isLoopbackAuthority(target)) return errorAnswer(coreErrors.hostNotLoopback())
  if (origin !== undefined && !isLoopbackPage(parseOrigin(origin))) return errorAnswer(coreErrors.crossSite())
  if (namesPage(referer) && !isLoopbackPage(originOfUrl(referer))) return errorAnswer(coreErrors.crossSite())
  if (site !== undefined && comesFrom(site, ['cross-site'])) return errorAnswer(coreErrors.crossSite())
  return undefined
}

/**
 * What a door with credentials must refuse, because a browser remembers them and sends them on behalf of any page: pages that are not
 * this door's own. Over plain HTTP a browser sends no `Sec-Fetch-Site`, and no `Origin` with the GET of an image: there the `Referer` tells.
 */
export function guardOrigin({ headers, socket }: IncomingMessage): Answer | undefined {
  const { host, origin, referer, 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isOwnPage(parseOrigin(origin), host, socket)) return errorAnswer(coreErrors.crossSite())
  if (namesPage(referer) && !isOwnPage(originOfUrl(referer), host, socket)) return errorAnswer(coreErrors.crossSite())
  if (site !== undefined && comesFrom(site, ['cross-site', 'same-site'])) return errorAnswer(coreErrors.crossSite())
  return undefined
}

function isLoopbackAuthority(text: string): boolean {
  const authority = parseAuthority(text)
  return authority !== undefined && isLoopback(authority.host)
}

/** An empty `Referer` says no more than none. */
function namesPage(referer: string | undefined): referer is string {
  return referer !== undefined && referer !== ''
}

function isLoopbackPage(page: Origin | undefined): boolean {
  return page !== undefined && isLoopback(page.host)
}

/** A proxy in front may speak TLS for a door that does not: there the scheme of the page cannot be judged. */
function isOwnPage(page: Origin | undefined, host: string | undefined, socket: Socket): boolean {
  const own = parseAuthority(host ?? '')
  if (page === undefined || own === undefined) return false
  const usualPort = DEFAULT_PORTS[page.scheme]
  const ownPort = own.port ?? (socket instanceof TLSSocket ? DEFAULT_PORTS['https'] : usualPort)
  return usualPort !== undefined && page.host === own.host && (page.port ?? usualPort) === ownPort
}

function comesFrom(site: string, sites: readonly string[]): boolean {
  return site.split(',').some((word) => sites.includes(word.trim().toLowerCase()))
}

/** Undefined for anything but a host with or without a port: no user, no path, no letters beyond ASCII. */
function parseAuthority(text: string): Authority | undefined {
  const [, address, name, digits = ''] = AUTHORITY.exec(text) ?? []
  const host = (address ?? name)?.toLowerCase()
  const port = digits === '' ? undefined : Number(digits)
  if (host === undefined || (port ?? 0) > HIGHEST_PORT || (address !== undefined && !isIPv6(address))) return undefined
  return { host, port }
}

/** The authority of an absolute URL, as it is written; undefined for a text that is none. */
function authorityOf(url: string): string | undefined {
  return ABSOLUTE.exec(url)?.[2]
}

/** Where the page of a URL, such as a `Referer`, comes from; undefined for what is no absolute URL with a host. */
function originOfUrl(url: string): Origin | undefined {
  return parseOrigin(ABSOLUTE.exec(url)?.[0] ?? '')
}

/** An `Origin` header; undefined for `null`, for several, and for what is none. */
function parseOrigin(text: string): Origin | undefined {
  const [whole, scheme = '', written = ''] = ABSOLUTE.exec(text) ?? []
  const authority = whole === text ? parseAuthority(written) : undefined
  return authority === undefined ? undefined : { scheme: scheme.toLowerCase(), ...authority }
}

/** Whether a host leads to this very machine for everybody, so that nobody else can decide what is behind the name. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return isIPv4(host) ? loopback.check(host, 'ipv4') : isIPv6(host) && loopback.check(host, 'ipv6')
}
