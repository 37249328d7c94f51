import type { IncomingMessage, ServerResponse } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer, JSON_TYPE, jsonText, pathSegments } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'
import type { AccessDecision, CheckAccess, ConnectionState } from '../door/listener-policy.ts'
import {
  type Client,
  callerWith,
  challenge,
  clientFinder,
  isHidden,
  type LoginOptions,
  login,
  loginRefusal,
  loopbackCaller,
  onlyReads,
  type RefusedWriteOptions,
  type RequestLine,
  reportRefusedWrite,
  scopeRefusal,
  type Token,
  unfilteredRefusal,
  visitor,
} from './callers.ts'
import type { FailureVerdict } from './failed-logins.ts'
import { isForPage, isReading, type OpenResources, onlyReadable, openAnswer, openResourceAt } from './open-resources.ts'
import { admitListedPage, guardLoopback, guardOrigin, type ProxyNames } from './page-guard.ts'

/** Inputs of the access check of all doors. */
export interface AccessOptions extends LoginOptions, RefusedWriteOptions {
  readonly resources: OpenResources
  /** Addresses of configured proxies, whose forwarding headers are trusted; the present setting. */
  readonly proxies: () => readonly string[]
  /** The address from which an unrestricted token also reaches the bench; undefined: none. */
  readonly benchFrom?: string | undefined
  /** Origins whose pages may use the doors, as browsers send them; the present setting. */
  readonly corsOrigins: () => readonly string[]
}

/** Access check of the network door: every request needs a token, except for the open resources and the page for browsers. */
export function networkAccess(options: AccessOptions): CheckAccess {
  const clientOf = clientFinder(options.proxies)
  return (request, connection, response) => checkNetworkAccess(request, response, clientOf(request, connection), options)
}

/** Checks a request from the network, at whichever door it arrived. */
function checkNetworkAccess(
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
  options: AccessOptions,
): AccessDecision {
  const origins = options.corsOrigins()
  const foreign = guardOrigin(request, client.viaProxy, origins) ?? admitListedPage(request, response, origins)
  if (foreign !== undefined) return { answer: foreign }
  const { method = '', url = '' } = request
  const segments = ownSegments(url)
  const open = segments.length === 0 ? undefined : openAnswer(method, segments, options.resources)
  if (open !== undefined) return { answer: open }
  if (segments.length > 0 && isForPage(request, request.headers)) return { caller: visitor(client) }
  const outcome = login(request, client, options)
  if ('verdict' in outcome) return { answer: loginRefusal(outcome.verdict) }
  const caller = callerWith(outcome.token, client, outcome.isValid)
  if (isHidden(segments) && !mayUseBench(segments, client, outcome.token, options)) return { caller, isHidden: true }
  const refusal = scopeRefusal(outcome.token, url)
  if (refusal === undefined) return { caller }
  reportRefusedWrite(caller, { method, url }, refusal.status, options)
  return { answer: refusal }
}

/** Not through a proxy: it would have to be trusted with the address. */
function mayUseBench([, name]: readonly string[], client: Client, token: Token, { benchFrom }: AccessOptions): boolean {
  if (name !== 'bench' || benchFrom === undefined || client.viaProxy || token.services !== undefined) return false
  return client.address === plainAddress(benchFrom)
}

/** Path segments of a request for the project's own paths; empty for the specification's paths, which most requests use. */
function ownSegments(url: string): readonly string[] {
  return url.startsWith('/api/') ? [] : (pathSegments(url) ?? [])
}

/** Access check of a loopback door without settings: accepted requests may do everything. */
export function checkLoopbackAccess(request: IncomingMessage, { address }: ConnectionState): AccessDecision {
  const answer = guardLoopback(request)
  return answer === undefined ? { caller: loopbackCaller(request, address) } : { answer }
}

/** Access check of a loopback door without settings that also shows the identity of the device, at `paths.machineId`. */
export function identifiedLoopbackAccess(resources: OpenResources): CheckAccess {
  return (request, connection) => {
    const decision = checkLoopbackAccess(request, connection)
    const segments = ownSegments(request.url ?? '')
    const open = 'answer' in decision || segments.length === 0 ? undefined : openAnswer(request.method ?? '', segments, resources)
    return open === undefined ? decision : { answer: open }
  }
}

export interface LoopbackAccessOptions extends AccessOptions {
  /** Status of the service for programs of this device, as JSON: doors and state folder. */
  readonly status: () => object
  /** Names by which a proxy may call the door without credentials. */
  readonly proxyNames?: () => ProxyNames | undefined
}

const STATUS_PATH = '/slotwire/status'

/**
 * Access check of the loopback door: accepts programs of this device, refuses pages of other sites. Requests that a configured proxy
 * forwards are checked like requests from the network. Also serves the authorization endpoint for proxies.
 */
export function loopbackAccess(options: LoopbackAccessOptions): CheckAccess {
  const clientOf = clientFinder(options.proxies)
  return (request, connection, response) => {
    const client = clientOf(request, connection)
    const foreign = client.viaProxy ? undefined : guardLoopback(request, options.proxyNames)
    if (foreign !== undefined) return { answer: foreign }
    const { method = '', url = '' } = request
    const segments = ownSegments(url)
    if (isAuthRequest(segments)) return { answer: answerAuthRequest(request, client, options) }
    if (client.viaProxy) return checkNetworkAccess(request, response, client, options)
    const preflight = admitListedPage(request, response, options.corsOrigins())
    if (preflight !== undefined) return { answer: preflight }
    const open = segments.length === 0 ? undefined : openAnswer(method, segments, options.resources)
    if (open !== undefined) return { answer: open }
    if (`/${segments.join('/')}` === STATUS_PATH) {
      return { answer: isReading(method) ? statusAnswer(options.status()) : onlyReadable(method) }
    }
    return { caller: loopbackCaller(request, client.address) }
  }
}

function statusAnswer(status: object): Answer {
  const headers = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }
  return { status: 200, headers, body: jsonText(status) }
}

const AUTH_PATH = ['slotwire', 'auth']
/** Headers that describe the request: for nginx' `auth_request` they are configured, Caddy's `forward_auth` sends them itself. */
const DESCRIPTIONS = [
  ['x-original-uri', 'x-original-method'],
  ['x-forwarded-uri', 'x-forwarded-method'],
] as const

/** Whether this is a proxy's authorization request. `segments` as from `pathSegments`. */
function isAuthRequest(segments: readonly string[]): boolean {
  return segments.length === AUTH_PATH.length && segments.every((segment, index) => segment === AUTH_PATH[index])
}

/**
 * `GET /slotwire/auth`: checks the credentials for the request that the headers describe: 204, 401 or 403. After too many failed logins:
 * 429, but for nginx, which treats that as a failure of the service, 401 with `Retry-After`.
 */
function answerAuthRequest(request: IncomingMessage, client: Client, options: AccessOptions): Answer {
  const { method = '' } = request
  if (!isReading(method)) return onlyReadable(method)
  const foreign = guardOrigin(request, client.viaProxy)
  if (foreign !== undefined) return foreign
  const described = describedBy(request)
  if (described === undefined) return errorAnswer(coreErrors.authRequestUnclear())
  if (described.every((one) => isOpen(one, options.resources) || isForPage(one, request.headers))) return allowed({})
  const outcome = login(request, client, options)
  if ('verdict' in outcome) return refusalFor(request, outcome.verdict)
  const { token } = outcome
  for (const one of described) {
    const refusal = refusalOf(one, token, options) ?? (client.viaProxy ? undefined : unfilteredRefusal(token, one.url))
    if (refusal === undefined) continue
    reportRefusedWrite(callerWith(token, client), one, refusal.status, options)
    return refusal
  }
  // No header for a token with all rights: any text in it means read-only.
  return allowed({ ...(token.readOnly ? { 'slotwire-access': 'read-only' } : {}), 'slotwire-token': headerSafe(token.name) })
}

/** All descriptions in the headers; undefined if incomplete. The client may forge those that its proxy does not set. */
function describedBy({ headers }: IncomingMessage): readonly RequestLine[] | undefined {
  const described: RequestLine[] = []
  for (const [uri, method] of DESCRIPTIONS) {
    const url = headers[uri]
    if (url === undefined) continue
    const verb = headers[method]
    if (verb === undefined || verb === '') return undefined
    described.push({ method: String(verb), url: String(url) })
  }
  return described.length === 0 ? undefined : described
}

function isOpen({ method, url }: RequestLine, { paths }: OpenResources): boolean {
  const segments = pathSegments(url)
  return segments !== undefined && isReading(method) && openResourceAt(segments, paths()) !== undefined
}

function refusalOf(described: RequestLine, token: Token, { contracts }: AccessOptions): Answer | undefined {
  const { url } = described
  if (isHidden(pathSegments(url) ?? [])) return errorAnswer(coreErrors.deviceOnly())
  if (token.readOnly && !onlyReads(described, contracts)) return errorAnswer(coreErrors.readOnly())
  return scopeRefusal(token, url)
}

function refusalFor({ headers }: IncomingMessage, verdict: FailureVerdict): Answer {
  const isNginx = headers[DESCRIPTIONS[0][0]] !== undefined
  return verdict.limited && isNginx ? challenge({ 'retry-after': String(verdict.retryAfterSeconds) }) : loginRefusal(verdict)
}

function allowed(headers: Readonly<Record<string, string>>): Answer {
  return { status: 204, headers: { 'cache-control': 'no-store', ...headers }, body: '' }
}

/** Percent-encodes quotes, percent signs and everything beyond ASCII, in UTF-8. */
function headerSafe(name: string): string {
  return name.replace(/[^ !#-$&-~]/gu, (character) => encodeURIComponent(character))
}
