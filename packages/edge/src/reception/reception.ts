import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { errorAnswer, pathSegments } from '@slotwire/service'
import type { Connection, Receive, Reception } from '../door/door-manners.ts'
import {
  type Client,
  callerWith,
  clientFinder,
  isHidden,
  type RefusedWriteOptions,
  scopeRefusal,
  tellOfRefused,
} from './callers.ts'
import { type LoginOptions, login, loginRefusal } from './login.ts'
import { type OpenResources, openAnswer } from './open-resources.ts'
import { guardLoopback, guardOrigin } from './page-guard.ts'

/** What the receptions of all doors go by. */
export interface ReceptionOptions extends LoginOptions, RefusedWriteOptions {
  readonly resources: OpenResources
  /** Addresses of proxies whose forwarding headers are believed, as the settings have them now. */
  readonly proxies: () => readonly string[]
}

/** The reception of the network door: nobody is let in without a token; the open resources alone are for everybody. */
export function networkReception(options: ReceptionOptions): Receive {
  const clientOf = clientFinder(options.proxies)
  return (request, connection) => receiveFromNetwork(request, clientOf(request, connection), options)
}

/** What is done with a request from the network, at whichever door it has arrived. */
export function receiveFromNetwork(request: IncomingMessage, client: Client, options: ReceptionOptions): Reception {
  const foreign = guardOrigin(request)
  if (foreign !== undefined) return { answer: foreign }
  const { method = '', url = '' } = request
  const segments = ownSegments(url)
  const open = segments.length === 0 ? undefined : openAnswer(method, segments, options.resources)
  if (open !== undefined) return { answer: open }
  const outcome = login(request, client, options)
  if ('verdict' in outcome) return { answer: loginRefusal(outcome.verdict) }
  if (isHidden(segments)) return { answer: errorAnswer(coreErrors.notFound()) }
  const caller = callerWith(outcome.token, client)
  const refusal = scopeRefusal(outcome.token, url)
  if (refusal === undefined) return { caller }
  tellOfRefused(caller, { method, url }, refusal.status, options)
  return { answer: refusal }
}

/** The segments of a path that may be the project's own; none for the specification's, which nearly every request is for. */
export function ownSegments(url: string): readonly string[] {
  return url.startsWith('/api/') ? [] : (pathSegments(url) ?? [])
}

/** The reception of a loopback door without settings: whoever is not refused may do everything. */
export function receiveLoopback(request: IncomingMessage, { address }: Connection): Reception {
  const answer = guardLoopback(request)
  return answer === undefined ? { caller: { door: 'loopback', address, readOnly: false } } : { answer }
}
