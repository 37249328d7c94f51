import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathSegments } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'
import type { AccessDecision, CheckAccess, Connection } from '../door/listener-policy.ts'
import type { AuthRequestOptions } from './auth-request.ts'
import {
  type Client,
  callerWith,
  clientFinder,
  isHidden,
  loopbackCaller,
  reportRefusedWrite,
  scopeRefusal,
  visitor,
} from './callers.ts'
import { login, loginRefusal } from './login.ts'
import { isForPage, type OpenResources, openAnswer } from './open-resources.ts'
import { admitListedPage, guardLoopback, guardOrigin } from './page-guard.ts'
import type { Token } from './token.ts'

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
export function checkNetworkAccess(
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
export function ownSegments(url: string): readonly string[] {
  return url.startsWith('/api/') ? [] : (pathSegments(url) ?? [])
}

/** Access check of a loopback door without settings: accepted requests may do everything. */
export function checkLoopbackAccess(request: IncomingMessage, { address }: Connection): AccessDecision {
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
