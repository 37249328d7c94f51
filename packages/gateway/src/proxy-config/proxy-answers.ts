import { coreErrors, type SlotwireError } from '@slotwire/core'
import { defaultHttpLimits, errorAnswer } from '@slotwire/service'
import { PROXY_SECONDS } from './proxy-plan.ts'

const { bodyBytes, headerBytes } = defaultHttpLimits
/** Name of the service in a proxy's messages. */
const SERVICE = 'slotwire'

/** Errors that a proxy sends itself, with the service's messages. */
export const proxyErrors = {
  malformed: coreErrors.malformedRequest({ reason: 'it must be HTTP/1.1, and leave no doubt about its headers and its length' }),
  plainAtTls: coreErrors.malformedRequest({ reason: 'this port uses TLS: use https' }),
  notFound: coreErrors.notFound(),
  methodRefused: coreErrors.methodNotAllowed({ method: 'this method', allowed: 'GET, HEAD or POST' }),
  late: coreErrors.requestTimeout({ part: 'its headers', seconds: PROXY_SECONDS.headers }),
  bodyTooLarge: coreErrors.bodyTooLarge({ limit: bodyBytes }),
  headersTooLarge: coreErrors.headersTooLarge({ limit: headerBytes }),
  internal: coreErrors.internal(),
  /** The service has received no request yet. */
  unreachable: coreErrors.serviceUnreachable({ service: SERVICE }),
  /** It is unknown whether the request had an effect. */
  answerLost: coreErrors.serviceAnswerLost({ service: SERVICE }),
} as const

/** The error as a body of the specification. */
export function bodyOf(error: SlotwireError): string {
  return String(errorAnswer(error).body)
}
