import { compileBody, type Endpoint } from '@slotwire/contract'
import { coreErrors, type SlotwireError } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Delivery } from '../alerts.ts'
import { callerOf } from '../listener/caller.ts'
import { loggedPath } from '../listener/request-head.ts'
import type { CheckedHandler, CheckedRequest, ModuleService, Surroundings } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { wantsFresh } from './cache-control.ts'
import { watchDelivery } from './delivery.ts'
import { parseJson } from './json-body.ts'
import { assertItemsExist, assertUp, locateSlot, parameterReader } from './locate.ts'
import type { RunningRequest } from './running-requests.ts'
import { sendCachedJson, sendFailure, sendJson } from './send.ts'
import { takeBody } from './take-body.ts'

export type PathRequest = FastifyRequest<{ Params: Readonly<Record<string, string>> }>
export type RouteHandler = (request: PathRequest, reply: FastifyReply) => void | Promise<void>

/** One endpoint of one service, with what is needed to answer it. */
export interface ServedEndpoint {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: CheckedHandler
  readonly service: ModuleService
}

/** What the router calls for an endpoint: its effect and caching decide which of the three ways below. */
export function endpointHandler(served: ServedEndpoint, context: ServiceContext): RouteHandler {
  if (served.endpoint.effect === 'read' && served.handler.kind === 'bus') return readHandler(served, served.handler, context)
  if (served.endpoint.method === 'POST' || served.endpoint.effect === 'action') return writeHandler(served, context)
  return directHandler(served, context)
}

interface Target {
  readonly slot: SlotApi
  readonly parameters: Readonly<Record<string, number>>
}

/** Restart, path, slot, item: the first checks of behaviour.md "Status codes"; the router has done version and method. */
function locator({ endpoint, service }: ServedEndpoint, context: ServiceContext): (request: PathRequest) => Target {
  const read = parameterReader(endpoint)
  return ({ params }) => {
    assertUp(context)
    const parameters = read(params)
    const slot = locateSlot(params['slot'] as string, service, context)
    assertItemsExist(endpoint, parameters)
    return { slot, parameters }
  }
}

function surroundingsOf(slot: SlotApi, { hostDevices, log }: ServiceContext, readOnly: boolean): Surroundings {
  return { slot, hostDevices, log, readOnly }
}

function isReadOnly({ raw }: PathRequest): boolean {
  return callerOf(raw)?.readOnly === true
}

/** What tells one reading from another, for sharing and caching: the endpoint, and its parameters where it has any. */
function readKey({ name, endpoint }: ServedEndpoint): (parameters: Target['parameters']) => string {
  const parameterNames = Object.keys(endpoint.parameters ?? {})
  if (parameterNames.length === 0) return () => name
  return (parameters) => `${name} ${parameterNames.map((parameter) => parameters[parameter]).join(' ')}`
}

/** Reads from the module, shared with others; for a second from the cache where the contract says so. */
function readHandler(served: ServedEndpoint, handler: CheckedHandler & { kind: 'bus' }, context: ServiceContext): RouteHandler {
  const { endpoint, service } = served
  const locate = locator(served, context)
  const keyOf = readKey(served)
  const cached = endpoint.caching === 'one-second'
  const isWatched = service.readings?.[served.name] !== undefined
  const send = cached ? sendCachedJson : sendJson

  async function read(request: PathRequest, reply: FastifyReply, target: Target, key: string, fresh: boolean): Promise<void> {
    const done = context.running.add(runningOf(request, reply, context))
    try {
      const { slot, parameters } = target
      const cache = context.caches.of(slot)
      const outcome = await slot.read(key, { fresh }, async (exchange) => {
        const finish = cache.begin()
        // Shared by all who ask at the same time.
        const surroundings = surroundingsOf(slot, context, true)
        const reading = await handler.run(exchange, { body: undefined, parameters }, surroundings)
        if (isWatched) context.readings.keep(slot, served.name, reading)
        return finish(JSON.stringify(reading))
      })
      if (cached) cache.put(key, outcome)
      if (!reply.sent) send(reply, outcome.body)
    } catch (error) {
      if (!reply.sent) sendFailure(reply, request, error, context, service.refusal)
    } finally {
      done()
    }
  }

  return (request, reply) => {
    const target = locate(request)
    const fresh = wantsFresh(request.raw.headers['cache-control'])
    const key = keyOf(target.parameters)
    const body = cached && !fresh ? context.caches.of(target.slot).get(key) : undefined
    if (body === undefined) return read(request, reply, target, key, fresh)
    sendCachedJson(reply, body)
    return undefined
  }
}

/** Answers from what the process knows already, at once where it can. */
function directHandler(served: ServedEndpoint, context: ServiceContext): RouteHandler {
  const { handler, service } = served
  const locate = locator(served, context)

  async function wait(request: PathRequest, reply: FastifyReply, outcome: unknown): Promise<void> {
    const done = context.running.add(runningOf(request, reply, context))
    try {
      sendOutcome(request, reply, await outcome)
    } catch (error) {
      if (!reply.sent) sendFailure(reply, request, error, context, service.refusal)
    } finally {
      done()
    }
  }

  return (request, reply) => {
    const { slot, parameters } = locate(request)
    const outcome = run(handler, { body: undefined, parameters }, surroundingsOf(slot, context, isReadOnly(request)), context)
    if (outcome instanceof Promise) return wait(request, reply, outcome)
    sendOutcome(request, reply, outcome)
    return undefined
  }
}

/** Changes the module, in order of arrival, logs it and has it recorded. */
function writeHandler(served: ServedEndpoint, context: ServiceContext): RouteHandler {
  const { endpoint, handler, service } = served
  const locate = locator(served, context)
  const validate = compileBody(endpoint)

  async function bodyOf(request: PathRequest, running: RunningRequest): Promise<unknown> {
    if (endpoint.method === 'GET') return undefined
    const { raw } = request
    const body = parseJson(await takeBody(raw, running, context.limits.bodyBytes))
    const reason = validate(body)
    if (reason !== undefined) throw coreErrors.invalidField({ reason })
    return body
  }

  return async (request, reply) => {
    const started = context.doorTime.now()
    const running = runningOf(request, reply, context)
    const done = context.running.add(running)
    let target: Target | undefined
    let body: unknown
    let refusal: SlotwireError | undefined
    try {
      if (isReadOnly(request)) throw coreErrors.readOnly()
      target = locate(request)
      body = await bodyOf(request, running)
      const { slot, parameters } = target
      sendOutcome(request, reply, await run(handler, { body, parameters }, surroundingsOf(slot, context, false), context))
    } catch (error) {
      if (!reply.sent) refusal = sendFailure(reply, request, error, context, service.refusal)
    } finally {
      done()
      const durationMs = context.doorTime.now() - started
      const { method } = request.raw
      const path = loggedPath(request.raw)
      const status = reply.statusCode
      if (target !== undefined) {
        // Its code, not its words: these may be the client's, and a secret among them.
        const refused = refusal === undefined ? {} : { refused: refusal.code }
        context.log.info({ method, path, slot: target.slot.slot, status, ms: Math.round(durationMs), ...refused }, 'write')
      }
      context.recordWrite(request.raw, { status, durationMs, ...(body === undefined ? {} : { body }) })
    }
  }
}

function run(
  handler: CheckedHandler,
  request: CheckedRequest,
  surroundings: Surroundings,
  { power }: Pick<ServiceContext, 'power'>,
): unknown {
  const { slot } = surroundings
  switch (handler.kind) {
    case 'direct':
      return handler.run(request, surroundings)
    case 'bus':
      return slot.write((exchange) => handler.run(exchange, request, surroundings))
    case 'power':
      return handler.run((configuration) => power.apply(slot, configuration), request, surroundings)
  }
}

function runningOf(request: PathRequest, reply: FastifyReply, context: ServiceContext): RunningRequest {
  const refuse = (error: SlotwireError): void => {
    if (!reply.sent) sendFailure(reply, request, error, context)
  }
  return { request: request.raw, response: reply.raw, refuse }
}

/** Nothing when the request has been refused in the meantime. */
function sendOutcome(request: PathRequest, reply: FastifyReply, outcome: unknown): void {
  if (!(outcome instanceof Delivery)) {
    if (!reply.sent) sendJson(reply, JSON.stringify(outcome))
    return
  }
  if (reply.sent) {
    outcome.takeBack()
    return
  }
  watchDelivery(request.raw, reply.raw, outcome.takeBack)
  sendJson(reply, JSON.stringify(outcome.reply))
}
