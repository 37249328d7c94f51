import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'
import { isLoopbackAddress } from '../door/address.ts'

/** Host and port of a Host header or an absolute target. */
interface Authority {
  /** Lower case, without brackets around an IPv6 address and without a final dot. */
  readonly host: string
  /** Undefined: the default port of the scheme. */
  readonly port: number | undefined
}

/** Origin of a page. */
interface Origin extends Authority {
  /** Lower case: `https`, or the scheme of an application (`tauri`). */
  readonly scheme: string
}

/** Host header of most local clients, accepted without parsing. */
const USUAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(?:[1-5]\d{4}|\d{1,4}))?$/

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(\d{0,5}))?$/i
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i
const MAX_PORT = 65_535

/** The part of a request that this guard needs. */
type GuardedRequest = Pick<IncomingMessage, 'url' | 'headers'> & { readonly socket: Pick<Socket, 'localPort'> }

/** Names, in lower case, by which a proxy on this device may call a door without credentials. */
export interface ProxyNames {
  /** Names of the device: its proxy serves pages there. */
  readonly device: readonly string[]
  /** Names of services, which a proxy may use for itself: `upstream io` in nginx. No page comes from there. */
  readonly services: readonly string[]
}

/**
 * Refusals of a door without credentials. A browser on this device may send requests for pages of other sites. Refuses names that others
 * may point to this device (DNS rebinding) and pages of other sites. Accepts pages of other ports of this device.
 *
 * A proxy calls the door by one of `proxyNames`, without the door's port. A browser that was rebound to such a name always sends the port.
 */
export function guardLoopback(request: GuardedRequest, proxyNames?: () => ProxyNames | undefined): Answer | undefined {
  const { url = '', headers, socket } = request
  const { host, origin, referer = '', 'sec-fetch-site': relation } = headers
  const isProxied = (text: string): boolean => isProxyName(text, proxyNames?.(), socket)
  const isOwn = (text: string): boolean => isLoopbackAuthority(text) || isProxied(text)
  if (host !== undefined && !USUAL_HOST.test(host) && !isOwn(host)) return errorAnswer(coreErrors.hostNotLoopback())
  // The authority of an absolute target counts like the Host (RFC 9112, 3.2.2).
  const target = url.startsWith('/') ? undefined : authorityTextOf(url)
  if (target !== undefined && !isOwn(target)) return errorAnswer(coreErrors.hostNotLoopback())
  const accepts = (page: Origin | undefined): boolean =>
    isLoopbackPage(page) || (isProxied(host ?? '') && isPageOf(page, proxyNames?.()))
  if (origin !== undefined && !accepts(parseOrigin(origin))) return errorAnswer(coreErrors.crossSite())
  if (referer !== '' && !accepts(originOfUrl(referer))) return errorAnswer(coreErrors.crossSite())
  if (relation !== undefined && hasRelation(relation, ['cross-site'])) return errorAnswer(coreErrors.crossSite())
  return undefined
}

/**
 * Refusals of a door with credentials. A browser remembers credentials and sends them for any page, so only the door's own pages are
 * accepted. Over plain HTTP a browser sends no `Sec-Fetch-Site`, and no `Origin` with an image's GET: then the `Referer` decides.
 * With `viaProxy`, a configured proxy sent the request: its `X-Forwarded-Host` is the host that the client asked for. Pages of the listed
 * `origins` are accepted too: browsers send their `Origin` with every request that a script may read.
 */
export function guardOrigin(
  { headers, socket }: IncomingMessage,
  viaProxy = false,
  origins: readonly string[] = [],
): Answer | undefined {
  const { origin, referer = '', 'sec-fetch-site': relation, 'x-forwarded-host': forwardedHost } = headers
  if (origin !== undefined && origins.includes(origin) && (referer === '' || ABSOLUTE.exec(referer)?.[0] === origin))
    return undefined
  const host = viaProxy && typeof forwardedHost === 'string' ? forwardedHost : headers.host
  if (origin !== undefined && !isOwnPage(parseOrigin(origin), host, socket)) return errorAnswer(coreErrors.crossSite())
  if (referer !== '' && !isOwnPage(originOfUrl(referer), host, socket)) return errorAnswer(coreErrors.crossSite())
  if (relation !== undefined && hasRelation(relation, ['cross-site', 'same-site'])) return errorAnswer(coreErrors.crossSite())
  return undefined
}

/** Headers that scripts of listed pages may send and read, besides those of every page. No cookies: a script sends the token itself. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Authorization, Cache-Control, Content-Type, If-Match, Last-Event-ID, Slotwire-Access, Slotwire-Lease',
  'access-control-max-age': '600',
}
const READABLE_HEADERS = 'Age, Allow, Retry-After, Slotwire-Error, Slotwire-Hint'

/**
 * For a request that a guard accepted: lets a page of a listed origin read the answer (CORS). Returns the answer to its preflight, which
 * comes without a token; undefined for all other requests.
 */
export function admitListedPage(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  response: Pick<ServerResponse, 'setHeader'>,
  origins: readonly string[],
): Answer | undefined {
  if (origins.length === 0) return undefined
  const { origin } = headers
  response.setHeader('vary', 'Origin')
  if (origin === undefined || !origins.includes(origin)) return undefined
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', READABLE_HEADERS)
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined
  return { status: 204, headers: PREFLIGHT_HEADERS, body: '' }
}

function isLoopbackAuthority(text: string): boolean {
  const authority = parseAuthority(text)
  return authority !== undefined && isLoopback(authority.host)
}

/** Whether a `Host` is one of the names, without the door's own port. A door on a default port cannot tell: browsers omit that port. */
function isProxyName(text: string, names: ProxyNames | undefined, { localPort }: GuardedRequest['socket']): boolean {
  if (names === undefined || Object.values(DEFAULT_PORTS).some((port) => port === localPort)) return false
  const authority = parseAuthority(text)
  if (authority === undefined || authority.port === localPort) return false
  return names.device.includes(authority.host) || names.services.includes(authority.host)
}

/** Whether the device's proxy serves the page, on any port. */
function isPageOf(page: Origin | undefined, names: ProxyNames | undefined): boolean {
  return page !== undefined && page.scheme in DEFAULT_PORTS && names?.device.includes(page.host) === true
}

function isLoopbackPage(page: Origin | undefined): boolean {
  return page !== undefined && isLoopback(page.host)
}

/** A proxy may use TLS for a door without TLS: then the scheme of the page is not checked. */
function isOwnPage(page: Origin | undefined, host: string | undefined, socket: Socket): boolean {
  const own = parseAuthority(host ?? '')
  if (page === undefined || own === undefined) return false
  const usualPort = DEFAULT_PORTS[page.scheme]
  const ownPort = own.port ?? (socket instanceof TLSSocket ? DEFAULT_PORTS['https'] : usualPort)
  return usualPort !== undefined && page.host === own.host && (page.port ?? usualPort) === ownPort
}

function hasRelation(relation: string, relations: readonly string[]): boolean {
  return relation.split(',').some((word) => relations.includes(word.trim().toLowerCase()))
}

/** Parses a host with an optional port; undefined for other text: no user, no path, only ASCII. */
function parseAuthority(text: string): Authority | undefined {
  const [, address, name, digits = ''] = AUTHORITY.exec(text) ?? []
  const host = (address ?? name)?.toLowerCase()
  const port = digits === '' ? undefined : Number(digits)
  if (host === undefined || (port ?? 0) > MAX_PORT || (address !== undefined && !isIPv6(address))) return undefined
  return { host, port }
}

/** The authority of an absolute URL, unchanged; undefined for other text. */
function authorityTextOf(url: string): string | undefined {
  return ABSOLUTE.exec(url)?.[2]
}

/** The origin of a URL, such as a `Referer`; undefined if it is not an absolute URL with a host. */
function originOfUrl(url: string): Origin | undefined {
  return parseOrigin(ABSOLUTE.exec(url)?.[0] ?? '')
}

/** Parses an `Origin` header; undefined for `null`, several origins, and other text. */
function parseOrigin(text: string): Origin | undefined {
  const [whole, scheme = '', written = ''] = ABSOLUTE.exec(text) ?? []
  const authority = whole === text ? parseAuthority(written) : undefined
  return authority === undefined ? undefined : { scheme: scheme.toLowerCase(), ...authority }
}

/** Whether a host always means this machine, so that no DNS server can point it elsewhere. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
}
