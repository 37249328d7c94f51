import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer, pathSegments } from '@slotwire/service'
import {
  type Client,
  callerWith,
  challenge,
  isHidden,
  type LoginOptions,
  login,
  loginRefusal,
  onlyReads,
  type RefusedWriteOptions,
  type RequestLine,
  reportRefusedWrite,
  scopeRefusal,
  type Token,
  unfilteredRefusal,
} from './callers.ts'
import type { FailureVerdict } from './failed-logins.ts'
import { isForPage, isReading, type OpenResources, onlyReadable, openResourceAt } from './open-resources.ts'
import { guardOrigin } from './page-guard.ts'

export interface AuthRequestOptions extends LoginOptions, RefusedWriteOptions {
  readonly resources: OpenResources
}

const AUTH_PATH = ['slotwire', 'auth']
/** Headers that describe the request: for nginx' `auth_request` they are configured, Caddy's `forward_auth` sends them itself. */
const DESCRIPTIONS = [
  ['x-original-uri', 'x-original-method'],
  ['x-forwarded-uri', 'x-forwarded-method'],
] as const

/** Whether this is a proxy's authorization request. `segments` as from `pathSegments`. */
export function isAuthRequest(segments: readonly string[]): boolean {
  return segments.length === AUTH_PATH.length && segments.every((segment, index) => segment === AUTH_PATH[index])
}

/**
 * `GET /slotwire/auth`: checks the credentials for the request that the headers describe: 204, 401 or 403. After too many failed logins:
 * 429, but for nginx, which treats that as a failure of the service, 401 with `Retry-After`.
 */
export function answerAuthRequest(request: IncomingMessage, client: Client, options: AuthRequestOptions): Answer {
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

function refusalOf(described: RequestLine, token: Token, { contracts }: AuthRequestOptions): Answer | undefined {
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
