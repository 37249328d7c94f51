import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../service-context.ts'
import type { CountedEndpoint, RequestRecord } from './request-statistics.ts'
import { sendFailure } from './send.ts'

type Handle<Request extends FastifyRequest> = (request: Request, reply: FastifyReply) => unknown

/**
 * Makes what counts the requests of an endpoint, around its handler. A handler has answered when it returns, or when its promise settles;
 * what it throws is answered here.
 */
export function requestCounter<Request extends FastifyRequest>(
  { service, endpoint, methods }: CountedEndpoint,
  context: ServiceContext,
): (handle: Handle<Request>) => Handle<Request> {
  const { requests } = context
  const { clock } = requests
  const record = requests.record({ service, endpoint, method: methods[0] ?? 'GET' })
  const headRecord = methods.includes('HEAD') ? requests.record({ service, endpoint, method: 'HEAD' }) : record

  function fail(request: Request, reply: FastifyReply, error: unknown): void {
    if (!reply.sent) sendFailure(reply, request, error, context)
  }

  function count(own: RequestRecord, { statusCode }: FastifyReply, startedMs: number): void {
    own.count(statusCode)
    own.durations.add(clock.now() - startedMs)
  }

  return (handle) => (request, reply) => {
    const startedMs = clock.now()
    const own = request.raw.method === 'HEAD' ? headRecord : record
    let result: unknown
    try {
      result = handle(request, reply)
    } catch (error) {
      fail(request, reply, error)
    }
    if (result instanceof Promise) {
      return result.catch((error: unknown) => fail(request, reply, error)).finally(() => count(own, reply, startedMs))
    }
    count(own, reply, startedMs)
    return result
  }
}
