import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '../pipeline/answer.ts'
import { authorityOf, isLoopback, type Origin, originOfUrl, parseAuthority, parseOrigin } from './authority.ts'
import type { Reception } from './reception.ts'

/** What nearly every local client sends: spares the way through the parser. */
const USUAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(?:[1-5]\d{4}|\d{1,4}))?$/

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

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

/** The reception of a loopback door: whoever is not refused may do everything. */
export function receiveLoopback(request: IncomingMessage): Reception {
  const answer = guardLoopback(request)
  if (answer !== undefined) return { answer }
  return { caller: { door: 'loopback', address: request.socket.remoteAddress ?? '', readOnly: false } }
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
