import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Contract, genericEndpoints } from '@slotwire/contract'
import { coreErrors, orElse } from '@slotwire/core'
import { type Answer, type Caller, errorAnswer, pathSegments, placeOf, segmentsPlace, type WriteRecord } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'
import type { ConnectionState } from '../door/listener-policy.ts'
import type { FailedLogins, FailureVerdict } from './failed-logins.ts'
import { AMBIGUOUS, isReading } from './open-resources.ts'

/** Origin of a request. */
export interface Client {
  /** IP address of the connection, or the one that a configured proxy reports. */
  readonly address: string
  /** Whether a configured proxy forwarded the request. */
  readonly viaProxy: boolean
}

/** The part of an access token that doors need. */
export interface Token {
  /** Part of the token's text; public. */
  readonly id: string
  /** Unique name, for users. */
  readonly name: string
  readonly readOnly: boolean
  /** Services (`io`, `power`) that the token may use; undefined: all. */
  readonly services: readonly string[] | undefined
}

/** Method and target of a request. */
export interface RequestLine {
  readonly method: string
  readonly url: string
}

/** Options to report writes that are refused before any service sees them. */
export interface RefusedWriteOptions {
  /** Contracts of all services: they declare which GET requests have an effect. */
  readonly contracts: readonly Contract[]
  readonly onWrite?: (record: WriteRecord) => void
}

/** Longest list of addresses that is parsed: limits the cost of a forged header. */
const MAX_FORWARDED = 32
/** Paths below `/slotwire/` that are hidden from the network, for every token. */
const HIDDEN = new Set(['bench', 'auth', 'status'])
/** Segments of the root of a service, with its version: not yet a slot. */
const SERVICE_ROOT_LENGTH = 3
/** Paths below `/slotwire/` with data of all services. */
const SHARED_BY_SERVICES = new Set(['metrics'])
/** Paths below `/slotwire/` whose answer depends on the services of the token. */
const FILTERED_BY_SERVICE = new Set(['events', 'state', 'history', 'past', 'leases', 'off'])

/**
 * Returns a function that finds the client of a request. Only `X-Forwarded-For` from a configured proxy counts: its last address that is
 * not a proxy. Earlier entries may be forged. If the entry is not an address, the address of the connection is used.
 */
export function clientFinder(
  proxies: () => readonly string[],
): (request: IncomingMessage, connection: ConnectionState) => Client {
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
    return { address: lastClientAddress(String(forwarded), isProxy) ?? address, viaProxy: true }
  }
}

function lastClientAddress(header: string, isProxy: (address: string) => boolean): string | undefined {
  for (const text of header.split(',').slice(-MAX_FORWARDED).reverse()) {
    const address = text.includes('%') ? undefined : plainAddress(text.trim())
    if (address === undefined || !isProxy(address)) return address
  }
  return undefined
}

/** The caller for a token and a client; `isValid` as in `Login`. */
export function callerWith(token: Token, { address }: Client, isValid?: () => boolean): Caller {
  const { id, name, readOnly } = token
  const sees = (path: string) => !isHidden(pathSegments(path) ?? []) && scopeRefusal(token, path) === undefined
  return { door: 'network', address, token: { id, name }, readOnly, sees, ...(isValid === undefined ? {} : { isValid }) }
}

/** The caller who loads the page for browsers, with any credentials or none. */
export function visitor({ address }: Client): Caller {
  return { door: 'network', address, readOnly: true, sees: () => false }
}

/** The caller of a request that passed the checks of a loopback door. */
export function loopbackCaller({ headers }: Pick<IncomingMessage, 'headers'>, address: string): Caller {
  const caller: Caller = { door: 'loopback', address, readOnly: false }
  return headers['x-forwarded-for'] === undefined ? caller : { ...caller, sees: isForAnyToken }
}

/** For clients of a proxy that checks tokens itself: which services it grants is unknown here. */
function isForAnyToken(path: string): boolean {
  const segments = pathSegments(path) ?? []
  const [root, name = ''] = segments
  return root === 'api' ? segments.length <= SERVICE_ROOT_LENGTH : !isHidden(segments) && !SHARED_BY_SERVICES.has(name)
}

/** Whether a path is for programs of this device only. `segments` as from `pathSegments`. */
export function isHidden([root, name]: readonly string[]): boolean {
  return root === 'slotwire' && HIDDEN.has(name ?? '')
}

/** The refusal if the token does not allow the path; undefined if it does. Splits the path as the service does. */
export function scopeRefusal({ services }: Token, url: string): Answer | undefined {
  if (services === undefined) return undefined
  const segments = pathSegments(url)
  if (segments === undefined || segments.some((segment) => AMBIGUOUS.test(segment))) return notGranted(services)
  const [root, name = ''] = segments
  if (root === 'api') return services.includes(name) ? undefined : notGranted(services)
  return root === 'slotwire' && SHARED_BY_SERVICES.has(name) ? notGranted(services) : undefined
}

/**
 * The refusal in the name of a proxy that checks tokens itself: behind it the answer would show every service, because the caller is then
 * unknown.
 */
export function unfilteredRefusal({ services }: Token, url: string): Answer | undefined {
  const [root, name = ''] = pathSegments(url) ?? []
  return services !== undefined && root === 'slotwire' && FILTERED_BY_SERVICE.has(name) ? notGranted(services) : undefined
}

function notGranted(services: readonly string[]): Answer {
  return errorAnswer(coreErrors.serviceNotGranted({ services: services.join(', ') }))
}

/** Whether a request only reads. False for a path that another server may read differently. */
export function onlyReads({ method, url }: RequestLine, contracts: readonly Contract[]): boolean {
  const segments = pathSegments(url)
  if (!isReading(method) || segments === undefined || segments.some((segment) => AMBIGUOUS.test(segment))) return false
  return method !== 'GET' || !isAction(segments, contracts)
}

/** Whether a GET of this path changes something. */
function isAction([root, name, _version, _slot, ...rest]: readonly string[], contracts: readonly Contract[]): boolean {
  const contract = root === 'api' ? contracts.find(({ service }) => service === name) : undefined
  if (contract === undefined) return false
  const { place } = segmentsPlace(rest)
  const endpoints = [...Object.values(genericEndpoints), ...Object.values(contract.endpoints)]
  return endpoints.find(({ method, path }) => method === 'GET' && placeOf(path) === place)?.effect === 'action'
}

/** Reports a write that the token does not allow; ignores reads. */
export function reportRefusedWrite(caller: Caller, described: RequestLine, status: number, options: RefusedWriteOptions): void {
  const { contracts, onWrite } = options
  if (onWrite === undefined || onlyReads(described, contracts)) return
  const { method, url } = described
  onWrite({ caller, method, path: url.replace(/\?.*$/s, ''), status, durationMs: 0 })
}

/** The present tokens of a device. */
export interface Tokens {
  /**
   * The token of a text; undefined if it is unknown, revoked or expired. Takes the same time for valid and invalid texts. Throws
   * `tokens-unreadable` (503) while the stored tokens cannot be read.
   */
  authenticate(text: string): Token | undefined
}

/** The only user name; spec "Authentication", rule 2. */
const USER = 'token'
/** Longest `Authorization` header that is parsed, in characters: several times the length for a token. */
const MAX_HEADER_CHARACTERS = 512
const SCHEME = 'basic'
/** RFC 6750, 2.1, with the scheme in any case as for Basic. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i
/** Base64 in canonical form: padded, with unused bits zero (RFC 4648, 3.5). */
const CREDENTIALS = /^ +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)$/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The token of an `Authorization` header: `Bearer`, or the password of the user `token` (RFC 7617, in UTF-8); undefined for any other. */
export function tokenTextOf(header: string): string | undefined {
  if (header.length > MAX_HEADER_CHARACTERS) return undefined
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return BEARER.exec(header)?.[1]
  const encoded = CREDENTIALS.exec(header.slice(SCHEME.length))?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  // Split at the first colon: only a password may contain one.
  const colon = text.indexOf(':')
  if (colon < 0 || text.slice(0, colon) !== USER || CONTROL_CHARACTER.test(text)) return undefined
  return text.slice(colon + 1)
}

/** Makes browsers ask for credentials (RFC 7617). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="Slotwire", charset="UTF-8"' }

export interface LoginOptions {
  readonly tokens: Tokens
  /** Shared by all doors. */
  readonly failures: FailedLogins
}

/** The token of a request, or the verdict on its failed login. */
type Login = { readonly token: Token; readonly isValid: () => boolean } | { readonly verdict: FailureVerdict }

const NOT_LIMITED: FailureVerdict = { limited: false }

/**
 * Checks a request's credentials. The right token is accepted whatever happened before: an attacker cannot lock out a controller that must
 * stop or feed a watchdog. Wrong credentials are counted; missing ones are not, because browsers start without.
 */
export function login(request: IncomingMessage, client: Client, { tokens, failures }: LoginOptions): Login {
  const header = request.headers.authorization ?? ''
  if (header === '') return { verdict: NOT_LIMITED }
  // Also without a token in it, so that every wrong header takes the same time.
  const token = tokens.authenticate(tokenTextOf(header) ?? '')
  if (token !== undefined) return { token, isValid: () => isStillGranted(header, token, tokens) }
  return { verdict: failures.add(client.address, client.viaProxy ? requestKey(request, header) : undefined) }
}

/** Whether a header still gives the rights of a token. True while the tokens cannot be read: a fault of the disk ends no lease and no stream. */
function isStillGranted(header: string, token: Token, tokens: Tokens): boolean {
  const { id, readOnly, services } = token
  const now = orElse<Token | undefined>(token, () => tokens.authenticate(tokenTextOf(header) ?? ''))
  return now?.id === id && now.readOnly === readOnly && String(now.services) === String(services)
}

/** 401, or 429 after too many failures. */
export function loginRefusal(verdict: FailureVerdict): Answer {
  if (!verdict.limited) return challenge()
  const seconds = verdict.retryAfterSeconds
  return errorAnswer(coreErrors.tooManyFailedLogins({ seconds }), { 'retry-after': String(seconds) })
}

/** 401 with `extra` headers. Never reveals which half was wrong. */
export function challenge(extra: Readonly<Record<string, string>> = {}): Answer {
  return errorAnswer(coreErrors.credentialsRequired(), { ...CHALLENGE, ...extra })
}

/**
 * Identifies a client request for which a proxy sends several: the same `X-Request-ID` and credentials. A client that chooses its own id
 * gains nothing: it can only repeat a wrong guess for free.
 */
function requestKey({ headers }: IncomingMessage, credentials: string): string | undefined {
  const id = headers['x-request-id']
  return id === undefined ? undefined : hash('sha256', `${String(id)}\n${credentials}`, 'base64')
}
