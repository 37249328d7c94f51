import type { IncomingMessage } from 'node:http'
import type { Contract } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import { type Answer, type Caller, errorAnswer, pathSegments, type WriteRecord } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'
import type { Connection } from '../door/listener-policy.ts'
import { forwardTarget } from '../forward/forward-target.ts'
import { isReading } from './open-resources.ts'
import type { Token } from './token.ts'

/** Where a request comes from. */
export interface Client {
  /** IP address; of the connection, unless a configured proxy says another. */
  readonly address: string
  /** Whether a configured proxy has passed it on for somebody else. */
  readonly viaProxy: boolean
}

/** A request by its method and target. */
export interface Described {
  readonly method: string
  readonly url: string
}

/** What tells of writes that are refused before any service sees them. */
export interface RefusedWriteOptions {
  /** Of all services: which requests with GET have an effect. */
  readonly contracts: readonly Contract[]
  readonly onWrite?: (record: WriteRecord) => void
}

/** Addresses beyond any that could be a client's: a forged header must not cost more. */
const MOST_FORWARDED = 32
/** Decoded segments that another server may take for a step up or for several: a limited token opens no path with one. */
const AMBIGUOUS = /^\.{1,2}$|[/\\\0]/
/** Below `/slotwire/`: what no one from the network gets to see, whoever that is. */
const HIDDEN = new Set(['bench', 'auth', 'status'])
/** Below `/slotwire/`: what tells of all services at once. */
const OF_ALL_SERVICES = new Set(['metrics'])

/**
 * Makes what tells where a request comes from. `X-Forwarded-For` counts from a configured proxy alone: the last address in it that is no
 * such proxy. What is in front of that was said by somebody else, and is not looked at; a text that is no address leaves that of the
 * connection. From anybody else the header is ignored.
 */
export function clientFinder(proxies: () => readonly string[]): (request: IncomingMessage, connection: Connection) => Client {
  let configured: readonly string[] = []
  let proxyAddresses = new Set<string>()

  function isProxy(address: string): boolean {
    const now = proxies()
    if (now !== configured) {
      configured = now
      proxyAddresses = new Set(now.flatMap((proxy) => plainAddress(proxy) ?? []))
    }
    return proxyAddresses.has(address)
  }

  return ({ headers }, { address }) => {
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !isProxy(address)) return { address, viaProxy: false }
    return { address: lastOfThem(String(forwarded), isProxy) ?? address, viaProxy: true }
  }
}

function lastOfThem(header: string, isProxy: (address: string) => boolean): string | undefined {
  for (const text of header.split(',').slice(-MOST_FORWARDED).reverse()) {
    const address = text.includes('%') ? undefined : plainAddress(text.trim())
    if (address === undefined || !isProxy(address)) return address
  }
  return undefined
}

/** Whom a token makes of a client. */
export function callerWith({ id, name, readOnly }: Token, { address }: Client): Caller {
  return { door: 'network', address, token: { id, name }, readOnly }
}

/** Whether a path is for programs of the device alone. `segments` are those of `pathSegments`. */
export function isHidden([root, name]: readonly string[]): boolean {
  return root === 'slotwire' && HIDDEN.has(name ?? '')
}

/** What to answer where a token does not open what a request is for; undefined: it does. Judged by the path as the service itself splits it. */
export function scopeRefusal({ services }: Token, url: string): Answer | undefined {
  if (services === undefined) return undefined
  const segments = pathSegments(url)
  if (segments === undefined || segments.some((segment) => AMBIGUOUS.test(segment))) return notGranted(services)
  const [root, name = ''] = segments
  if (root === 'api') return services.includes(name) ? undefined : notGranted(services)
  return root === 'slotwire' && OF_ALL_SERVICES.has(name) ? notGranted(services) : undefined
}

function notGranted(services: readonly string[]): Answer {
  return errorAnswer(coreErrors.serviceNotGranted({ services: services.join(', ') }))
}

/** Whether a request has no effect beyond its answer. Of a path that another server may take for another one nobody knows. */
export function onlyReads({ method, url }: Described, contracts: readonly Contract[]): boolean {
  if (!isReading(method) || pathSegments(url)?.some((segment) => AMBIGUOUS.test(segment)) !== false) return false
  return forwardTarget(method, url, contracts)?.effect !== 'action'
}

/** Tells of a write that the caller's token does not allow; of a read nothing is told. */
export function reportRefusedWrite(caller: Caller, described: Described, status: number, options: RefusedWriteOptions): void {
  const { contracts, onWrite } = options
  if (onWrite === undefined || onlyReads(described, contracts)) return
  const { method, url } = described
  onWrite({ caller, method, path: url.replace(/\?.*$/s, ''), status, durationMs: 0 })
}
