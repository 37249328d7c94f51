import type { SlotwireError } from '@slotwire/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { loggedPath } from '../listener/request-head.ts'
import type { RefusalMapping } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { type Answer, errorAnswer, JSON_TYPE } from './answer.ts'
import { clientErrorOf } from './client-error.ts'

/** Keeps the framework from adding a charset, which `application/json` does not have. */
const asIs = (body: string): string => body

/** Sends JSON text that nobody may keep. */
export function sendJson(reply: FastifyReply, body: string): void {
  reply.header('content-type', JSON_TYPE).header('cache-control', 'no-store').serializer(asIs).send(body)
}

/** Sends JSON text of a value less than a second old: its age in whole seconds is 0. No other cache may keep it longer. */
export function sendCachedJson(reply: FastifyReply, body: string): void {
  reply.header('content-type', JSON_TYPE).header('cache-control', 'no-cache').header('age', '0').serializer(asIs).send(body)
}

export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): void {
  reply.code(status).headers(headers).serializer(asIs).send(body)
}

/** Tells the client what went wrong, whatever was thrown; returns the error that it was told. */
export function sendFailure(
  reply: FastifyReply,
  request: FastifyRequest,
  thrown: unknown,
  context: ServiceContext,
  refusal?: RefusalMapping,
): SlotwireError {
  const error = clientErrorOf(thrown, {
    restarting: context.rack.state === 'restarting',
    refusal,
    log: context.log,
    request: { method: request.raw.method ?? '', path: loggedPath(request.raw) },
  })
  sendAnswer(reply, errorAnswer(error))
  return error
}
