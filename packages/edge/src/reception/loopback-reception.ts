import type { Receive } from '../door/door-manners.ts'
import { type AuthRequestOptions, answerAuthRequest, isAuthRequest } from './auth-request.ts'
import { clientFinder } from './callers.ts'
import { openAnswer } from './open-resources.ts'
import { guardLoopback } from './page-guard.ts'
import { ownSegments, type ReceptionOptions, receiveFromNetwork } from './reception.ts'

export interface LoopbackReceptionOptions extends ReceptionOptions, AuthRequestOptions {}

/**
 * The reception of the loopback door: programs of this device are let in, pages from elsewhere are not. What a configured proxy passes on
 * for others is from the network, and received like that. Also answers what proxies ask about the credentials of their clients.
 */
export function loopbackReception(options: LoopbackReceptionOptions): Receive {
  const clientOf = clientFinder(options.proxies)
  return (request, connection) => {
    const client = clientOf(request, connection)
    const foreign = client.viaProxy ? undefined : guardLoopback(request)
    if (foreign !== undefined) return { answer: foreign }
    const segments = ownSegments(request.url ?? '')
    if (isAuthRequest(segments)) return { answer: answerAuthRequest(request, client, options) }
    if (client.viaProxy) return receiveFromNetwork(request, client, options)
    const open = segments.length === 0 ? undefined : openAnswer(request.method ?? '', segments, options.resources)
    if (open !== undefined) return { answer: open }
    return { caller: { door: 'loopback', address: client.address, readOnly: false } }
  }
}
