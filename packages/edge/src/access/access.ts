import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, JSON_TYPE, jsonText, pathSegments } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'
import type { AccessDecision, CheckAccess, ConnectionState } from '../door/listener-policy.ts'
import { type AuthRequestOptions, answerAuthRequest, isAuthRequest } from './auth-request.ts'
import {
  type Client,
  callerWith,
  clientFinder,
  isHidden,
  login,
  loginRefusal,
  loopbackCaller,
  reportRefusedWrite,
  scopeRefusal,
  type Token,
  visitor,
} from './callers.ts'
import { isForPage, isReading, type OpenResources, onlyReadable, openAnswer } from './open-resources.ts'
import { admitListedPage, guardLoopback, guardOrigin, type ProxyNames } from './page-guard.ts'

/** Inputs of the access check of all doors. */
export interface AccessOptions extends AuthRequestOptions {
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
