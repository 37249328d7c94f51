import { coreErrors, type SlotwireError } from '@slotwire/core'
import { defaultHttpLimits, errorAnswer } from '@slotwire/service'
import { PROXY_SECONDS } from './proxy-plan.ts'

const { bodyBytes, headerBytes } = defaultHttpLimits
/** Name of what stands behind a proxy, in its messages. */
const SERVICE = 'slotwire'

/** What a proxy answers by itself, in the service's words. */
export const proxyErrors = {
  malformed: coreErrors.malformedRequest({ reason: 'it must be HTTP/1.1, and leave no doubt about its headers and its length' }),
  plainAtTls: coreErrors.malformedRequest({ reason: 'TLS is spoken at this port: use https' }),
  notFound: coreErrors.notFound(),
  methodRefused: coreErrors.methodNotAllowed({ method: 'this method', allowed: 'GET, HEAD or POST' }),
  late: coreErrors.requestTimeout({ part: 'its headers', seconds: PROXY_SECONDS.headers }),
  bodyTooLarge: coreErrors.bodyTooLarge({ limit: bodyBytes }),
  headersTooLarge: coreErrors.headersTooLarge({ limit: headerBytes }),
  internal: coreErrors.internal(),
  /** The service was not asked to do anything yet. */
  unreachable: coreErrors.serviceUnreachable({ service: SERVICE }),
  /** Nobody knows how far it got. */
  answerLost: coreErrors.serviceAnswerLost({ service: SERVICE }),
} as const

/** The specification's error body of an error. */
export function bodyOf(error: SlotwireError): string {
  return String(errorAnswer(error).body)
}
