import { type Answer, JSON_TYPE, jsonText } from '@slotwire/service'
import type { CheckAccess } from '../door/listener-policy.ts'
import { type AccessOptions, checkNetworkAccess, ownSegments } from './access.ts'
import { answerAuthRequest, isAuthRequest } from './auth-request.ts'
import { clientFinder, loopbackCaller } from './callers.ts'
import { isReading, onlyReadable, openAnswer } from './open-resources.ts'
import { admitListedPage, guardLoopback, type ProxyNames } from './page-guard.ts'

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
