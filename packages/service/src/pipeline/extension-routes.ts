import { compile, type Endpoint, extensionBody, isBodyOptional } from '@slotwire/contract'
import { coreErrors, type SlotwireError } from '@slotwire/core'
import type { FastifyReply } from 'fastify'
import { callerOf } from '../listener/caller.ts'
import { hasBody, loggedPath } from '../listener/request-head.ts'
import type { ServiceContext } from '../service-context.ts'
import { errorAnswer } from './answer.ts'
import { methodsOf, routerPath } from './api-path.ts'
import { clientErrorOf } from './client-error.ts'
import type { PathRequest } from './endpoint-handler.ts'
import type { CheckedExtensionHandler, ServedExtension } from './extension.ts'
import type { FixedPath } from './fallback.ts'
import { parseJson } from './json-body.ts'
import { assertItemsExist, parameterReader } from './locate.ts'
import type { Handle, Routes } from './routes.ts'
import type { RunningRequest } from './running-requests.ts'
import { sendAnswer, sendJson } from './send.ts'
import { takeBody } from './take-body.ts'

/** The routes of an extension. They answer whatever state the device is in; for the metrics they are one endpoint. */
export function addExtensionRoutes(routes: Routes, extension: ServedExtension, context: ServiceContext): FixedPath[] {
  const { name: tag, endpoints } = extension.contract
  return Object.entries(endpoints).map(([name, endpoint]) => {
    const handler = extension.handlers[name]
    if (handler === undefined) throw new Error(`${tag}: the endpoint ${name} has no handler`)
    const methods = methodsOf(endpoint)
    routes.add({
      service: 'slotwire',
      endpoint: tag,
      methods,
      url: routerPath(endpoint),
      handler: () => extensionHandler(endpoint, handler, context),
    })
    return { path: endpoint.path, methods, ...(endpoint.parameters === undefined ? {} : { parameters: endpoint.parameters }) }
  })
}

function extensionHandler(endpoint: Endpoint, handler: CheckedExtensionHandler, context: ServiceContext): Handle {
  const readParameters = parameterReader(endpoint)
  const bodyOf = endpoint.method === 'GET' ? async () => undefined : bodyReader(endpoint, context)
  const isWrite = endpoint.effect !== 'read'
  const { clock } = context.requests

  function fail(thrown: unknown, { raw }: PathRequest, reply: FastifyReply): void {
    if (reply.sent) return
    const request = { method: raw.method ?? '', path: loggedPath(raw) }
    // Whether the device restarts is nothing to what is around it.
    sendAnswer(reply, errorAnswer(clientErrorOf(thrown, { restarting: false, log: context.log, request })))
  }

  return async (request, reply) => {
    const { raw } = request
    const startedMs = clock.now()
    const refuse = (error: SlotwireError): void => fail(error, request, reply)
    const running: RunningRequest = { request: raw, response: reply.raw, refuse }
    const done = context.running.add(running)
    let body: unknown
    try {
      if (isWrite && callerOf(raw)?.readOnly === true) throw coreErrors.readOnly()
      const parameters = readParameters(request.params)
      assertItemsExist(endpoint, parameters)
      body = await bodyOf(raw, running)
      const outcome = await handler({ body, parameters })
      if (!reply.sent) sendJson(reply, JSON.stringify(outcome))
    } catch (error) {
      fail(error, request, reply)
    } finally {
      done()
      if (isWrite) tellOfWrite(request, reply, body, clock.now() - startedMs, context)
    }
  }
}

/** Makes what takes the body of a POST: checked against the contract, `{}` where none was sent and none is needed. */
function bodyReader(endpoint: Endpoint, { limits }: ServiceContext) {
  const validate = compile(extensionBody(endpoint), 'the body')
  const isOptional = isBodyOptional(endpoint)
  return async (raw: PathRequest['raw'], running: RunningRequest): Promise<unknown> => {
    if (isOptional && !hasBody(raw)) return {}
    const bytes = await takeBody(raw, running, limits.bodyBytes)
    const body = isOptional && bytes.length === 0 ? {} : parseJson(bytes)
    const reason = validate(body) ?? endpoint.check?.(body as object)
    if (reason !== undefined) throw coreErrors.invalidField({ reason })
    return body
  }
}

function tellOfWrite(
  { raw }: PathRequest,
  reply: FastifyReply,
  body: unknown,
  durationMs: number,
  context: ServiceContext,
): void {
  const status = reply.statusCode
  context.log.info({ method: raw.method, path: loggedPath(raw), status, ms: Math.round(durationMs) }, 'write')
  context.recordWrite(raw, { status, durationMs, ...(body === undefined ? {} : { body }) })
}
